import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../cli.ts';

/** Runs git in a directory. Returns its output. */
export function git(cwd: string, ...args: readonly string[]): string {
  const author = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  return execFileSync('git', [...author, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** A pushed working tree with a workflow file, and a function for clones of its remote. */
export type Repository = Readonly<{
  cwd: string;
  clone: () => string;
  /** Writes a file, commits it and returns the commit. */
  commit: (path: string, text: string) => string;
}>;

export function createRepository(t: TestContext, file: object): Repository {
  const remote = temporaryDirectory(t);
  git(remote, 'init', '--quiet', '--bare', '--initial-branch=main');
  const cwd = workflowDirectory(t, file);
  git(cwd, 'init', '--quiet', '--initial-branch=main');
  git(cwd, 'remote', 'add', 'origin', remote);
  const commit = (path: string, text: string): string => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
    git(cwd, 'add', '--all');
    git(cwd, 'commit', '--quiet', '--message', `Change ${path}`);
    return git(cwd, 'rev-parse', 'HEAD');
  };
  commit('README', 'first\n');
  git(cwd, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  const clone = (): string => {
    const path = temporaryDirectory(t);
    git(path, 'clone', '--quiet', remote, '.');
    return path;
  };
  return { cwd, clone, commit };
}
