import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import * as v from 'valibot';
import { cli as cliAlone, finish, temporaryDirectory } from '../cli.ts';
import { quickCli as cli } from '../in_process.ts';
import { installJust, WITH_JUST } from './just.ts';

const Converted = v.object({ workflows: v.record(v.string(), v.unknown()) });

type Files = Readonly<Record<string, string>>;

/** The workflows and the warnings of a conversion. `run` runs one, and returns what its commands have logged. */
export type ConvertedProject = Readonly<{
  cwd: string;
  workflows: Readonly<Record<string, unknown>>;
  leftOut: string;
  run: (name: string) => Promise<string>;
}>;

/** The lines in the file `log` of a directory, which is removed. */
function takeLog(cwd: string): string {
  const path = join(cwd, 'log');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  rmSync(path, { force: true });
  return text;
}

/** A directory with files, one of which is converted. */
export async function converted(t: TestContext, source: string, files: Files): Promise<ConvertedProject> {
  if (source === 'justfile') await installJust();
  const cwd = temporaryDirectory(t, files);
  // A process of its own finds `just` in its PATH.
  const convert = source === 'justfile' ? cliAlone : cli;
  const { code, stderr } = await convert(['workflow', 'init', '--from', source, '--no-fallback'], {
    cwd,
    env: WITH_JUST,
  });
  assert.equal(code, 0, stderr);
  const { workflows } = v.parse(Converted, JSON.parse(readFileSync(join(cwd, '.cli/workflow.json'), 'utf8')));
  const run = async (name: string): Promise<string> => {
    const ended = await cli(['run', name, '-q', '--yes'], { cwd, env: { ...WITH_JUST, MAKEFLAGS: '' } });
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    return takeLog(cwd);
  };
  return { cwd, workflows, leftOut: stderr, run };
}

/**
 * Edits files of two directories, and compares what the commands of both tools log: those of the workflow `all`, and
 * those that the other tool starts.
 */
export async function beside(
  t: TestContext,
  source: string,
  files: Files,
  command: readonly [string, ...string[]],
  edits: readonly [edit: (cwd: string) => void, log: string][],
): Promise<ConvertedProject> {
  const ours = await converted(t, source, files);
  const theirs = temporaryDirectory(t, files);
  for (const [index, [edit, log]] of edits.entries()) {
    for (const cwd of [ours.cwd, theirs]) edit(cwd);
    const [program, ...args] = command;
    const ended = await finish(program, args, { cwd: theirs, env: { ...WITH_JUST, MAKEFLAGS: '' } });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(takeLog(theirs), log, `${program} after edit ${index}`);
    // Takes longer than a tick of the clock for times of files, which make compares.
    assert.equal(await ours.run('all'), log, `cli after edit ${index}`);
  }
  return ours;
}
