import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../random/random.ts';

/** A package: the packages that it needs, and what the workflow runs for it. */
type Package = { readonly needs: readonly number[]; command: string; variable: string };

const AUTHOR = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];

/** A monorepo with a workflow, whose steps build and test each package, and a version that some use. */
export class Monorepo {
  readonly cwd: string;
  readonly #random: Random;
  readonly #packages: readonly Package[];
  #version = 'cat VERSION';

  constructor(cwd: string, random: Random, size: number) {
    this.cwd = cwd;
    this.#random = random;
    this.#packages = Array.from({ length: size }, (_, index) => {
      const needs = Array.from({ length: index }, (__, each) => each).filter(() => random.chance(1.2 / (index + 1)));
      return { needs, command: 'true', variable: '1' };
    });
    this.#write('VERSION', '1');
    this.#write('.gitignore', 'dist/\n.cli/runs/\n');
    for (const index of this.#packages.keys())
      for (const name of ['a.js', 'b.js', 'README.md']) this.#write(`packages/p${index}/src/${name}`, name);
    this.#writeWorkflow();
    this.git('init', '--quiet', '--initial-branch=main');
    this.commit();
    this.git('checkout', '--quiet', '-b', 'topic');
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', [...AUTHOR, ...args], {
      cwd: this.cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  commit(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'x');
  }

  /** Makes some random changes; most are committed. */
  change(): void {
    const random = this.#random;
    for (let count = 1 + random.below(2); count > 0; count -= 1) this.#edit();
    if (random.chance(0.6)) this.commit();
    else if (random.chance(0.5)) this.git('add', '--all');
    if (random.chance(0.15)) this.git('branch', '--quiet', '--force', 'main', 'HEAD');
  }

  #edit(): void {
    const random = this.#random;
    const index = random.below(this.#packages.length);
    const folder = `packages/p${index}/src`;
    const files = existsSync(join(this.cwd, folder)) ? readdirSync(join(this.cwd, folder)) : [];
    const name = files.length > 0 ? random.pick(files) : 'a.js';
    const path = `${folder}/${name}`;
    const own = this.#packages[index];
    switch (random.below(9)) {
      case 0:
        return rmSync(join(this.cwd, path), { force: true });
      case 1:
        return this.#write(`${folder}/${random.pick(['new.js', 'ü "q".js', 'doc.md'])}`, String(random.below(3)));
      case 2: {
        const target = join(this.cwd, `packages/p${random.below(this.#packages.length)}/src/moved.js`);
        mkdirSync(dirname(target), { recursive: true });
        return files.length === 0 ? undefined : renameSync(join(this.cwd, path), target);
      }
      case 3:
        if (own !== undefined) own.command = random.pick(['true', 'true 2']);
        return this.#writeWorkflow();
      case 4:
        if (own !== undefined) own.variable = random.pick(['1', '2']);
        return this.#writeWorkflow();
      case 5:
        this.#write('VERSION', String(random.below(3)));
        return undefined;
      case 6:
        // What a build leaves does not count.
        return this.#write(`packages/p${index}/dist/out.js`, String(random.below(9)));
      default:
        return this.#write(path, random.pick([name, 'changed']));
    }
  }

  #write(path: string, text: string): void {
    mkdirSync(dirname(join(this.cwd, path)), { recursive: true });
    writeFileSync(join(this.cwd, path), text);
  }

  #steps(): readonly object[] {
    return this.#packages.flatMap(({ needs, command, variable }, index) => {
      const folder = `packages/p${index}`;
      const built = needs.map((each) => `packages/p${each}/dist/**`);
      const usesVersion = index % 7 === 3;
      const test = usesVersion ? `${command}; echo \${steps.version.V}` : command;
      return [
        {
          name: `build ${index}`,
          run: command,
          with: { LEVEL: variable },
          sources: [`${folder}/src/*.js`, ...built],
          generates: [`${folder}/dist/**`],
        },
        { name: `test ${index}`, run: test, sources: [`${folder}/src/**`, `${folder}/dist/**`] },
      ];
    });
  }

  #writeWorkflow(): void {
    const version = { name: 'version', run: this.#version, sources: ['VERSION'], outputs: { V: 'text' } };
    const steps = [version, ...this.#steps(), { name: 'end', run: 'true' }];
    this.#write('.cli/workflow.json', JSON.stringify({ workflows: { ci: { steps } } }));
  }

  /** The steps with sources that run, by a comparison of all files of both sides. */
  model(): ReadonlySet<string> {
    const base = this.git('merge-base', 'HEAD', 'main').trim();
    // The ids of the contents of all files.
    const before = new Map<string, string>();
    for (const entry of this.git('ls-tree', '-r', '-z', base).split('\0')) {
      const [, id, path] = /^\d+ blob (\w+)\t([^]+)$/.exec(entry) ?? [];
      if (id !== undefined && path !== undefined) before.set(path, id);
    }
    const listed = this.git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
    const paths = [...new Set(listed)].filter((path) => path !== '' && existsSync(join(this.cwd, path)));
    const input = paths.map((path) => `${path}\n`).join('');
    const ids = execFileSync('git', ['hash-object', '--stdin-paths'], { cwd: this.cwd, encoding: 'utf8', input });
    const after = new Map(
      ids
        .trim()
        .split('\n')
        .map((id, index) => [paths[index] ?? '', id] as const),
    );
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    const workflow = '.cli/workflow.json';
    const old = stepsIn(this.git('show', `${base}:${workflow}`));
    const now = stepsIn(readFileSync(join(this.cwd, workflow), 'utf8'));
    const isEdited = (name: string): boolean => old.get(name) !== now.get(name);
    const runs = new Set<string>();
    if (changed.includes('VERSION') || isEdited('version')) runs.add('version');
    for (const [index, { needs }] of this.#packages.entries()) {
      const source = `packages/p${index}/src/`;
      const isBuilt =
        changed.some((path) => path.startsWith(source) && path.endsWith('.js')) ||
        isEdited(`build ${index}`) ||
        needs.some((each) => runs.has(`build ${each}`));
      if (isBuilt) runs.add(`build ${index}`);
      const isTested = isBuilt || changed.some((path) => path.startsWith(source)) || isEdited(`test ${index}`);
      if (!isTested) continue;
      runs.add(`test ${index}`);
      if (index % 7 === 3) runs.add('version');
    }
    return runs;
  }
}

/** The steps of the workflow in a file, as texts by their names. */
function stepsIn(text: string): ReadonlyMap<string, string> {
  const { steps }: { readonly steps: readonly { readonly name: string }[] } = JSON.parse(text).workflows.ci;
  return new Map(steps.map((step) => [step.name, JSON.stringify(step)] as const));
}
