/* Random edits of a C project, before and during runs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { delay } from '../../../src/backend/system/sleep.ts';
import { cli, finish, temporaryDirectory } from '../../support/cli.ts';
import { random, SEED, type Random } from '../../support/random/random.ts';

const EDITS = Number(process.env['EDITS'] ?? 200);

const Result = v.object({ success: v.boolean(), steps: v.array(v.unknown()) });

const GENERATE = `set -e
mkdir -p build
{
  for f in src/f_*.c; do n=\${f#src/}; echo "int \${n%.c}(void);"; done
  echo 'int main(void) { int sum = 0;'
  for f in src/f_*.c; do n=\${f#src/}; echo "sum += \${n%.c}();"; done
  echo 'return sum & 127; }'
} >build/main.c
`;

const LINK = 'cc -O0 -Iinclude -o build/app build/main.c src/f_*.c';

const WORKFLOWS = {
  generate: {
    once: true,
    steps: [{ name: 'main', run: './generate.sh', sources: ['src/f_*.c', 'generate.sh'], generates: ['build/main.c'] }],
  },
  build: {
    steps: [
      { workflow: 'generate' },
      { name: 'app', run: LINK, sources: ['src', 'include', 'build/main.c', '!**/*.txt'], generates: ['build/app'] },
      {
        name: 'result',
        run: 'c=0; build/app || c=$?; echo $c >build/result',
        sources: ['build/app'],
        generates: ['build/result'],
      },
    ],
  },
  ci: {
    steps: [
      { parallel: [{ workflow: 'generate' }, { workflow: 'build' }] },
      { name: 'lint', run: '! grep -n TODO src/*.c', sources: ['src/*.c'] },
    ],
  },
};

const functionText = (name: string, value: number): string =>
  `#include "offset.h"\nint ${name}(void) { return OFFSET + ${value}; }\n`;

const git = (cwd: string, ...words: string[]): string => execFileSync('git', words, { cwd, encoding: 'utf8' }).trim();

/** A project with a few commits. */
function writeProject(cwd: string, source: Random): readonly string[] {
  git(cwd, 'init', '-q');
  const commits: string[] = [];
  for (let commit = 0; commit < 4; commit += 1) {
    for (let index = 0; index < 4 + source.below(3); index += 1)
      writeFileSync(join(cwd, `src/f_${index}.c`), functionText(`f_${index}`, source.below(9)));
    writeFileSync(join(cwd, 'include/offset.h'), `#define OFFSET ${source.below(9)}\n`);
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    git(cwd, 'add', '-A');
    git(cwd, ...author, 'commit', '-qm', `${commit}`);
    commits.push(git(cwd, 'rev-parse', 'HEAD'));
  }
  return commits;
}

/** Makes a random edit, and returns what it was. */
function edit(cwd: string, source: Random, commits: readonly string[]): string {
  const path = (name: string): string => join(cwd, name);
  const names = readdirSync(path('src')).filter((name) => name.startsWith('f_'));
  const name = names.length === 0 ? 'f_0.c' : source.pick(names);
  const file = path(`src/${name}`);
  const made = path(source.pick(['build/app', 'build/main.c', 'build/result']));
  const setValue = (): void => writeFileSync(file, functionText(name.slice(0, -2), source.below(9)));
  const edits: readonly (readonly [string, () => void])[] = [
    ['content', setValue],
    [
      'content with its old time',
      () => {
        const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 1e12 };
        setValue();
        utimesSync(file, mtimeMs / 1000, mtimeMs / 1000);
      },
    ],
    ['header', () => writeFileSync(path('include/offset.h'), `#define OFFSET ${source.below(9)}\n`)],
    ['new', () => writeFileSync(path('src/f_new.c'), functionText('f_new', source.below(9)))],
    [
      'rename',
      () => {
        const other = `f_${source.below(9)}`;
        if (existsSync(file)) renameSync(file, path(`src/${other}.c`));
        // The function has the name of its file.
        writeFileSync(path(`src/${other}.c`), functionText(other, source.below(9)));
      },
    ],
    ['chmod', () => existsSync(file) && chmodSync(file, source.pick([0o644, 0o755]))],
    ['delete', () => rmSync(file, { force: true })],
    ['touch', () => existsSync(file) && utimesSync(file, new Date(), new Date())],
    ['error', () => writeFileSync(file, 'int broken(\n')],
    ['lint', () => writeFileSync(file, `${functionText(name.slice(0, -2), 1)}/* TODO */\n`)],
    ['other file', () => writeFileSync(path('src/notes.txt'), String(source.below(9)))],
    ['revert', () => git(cwd, 'checkout', '-q', '--', '.')],
    ['checkout', () => git(cwd, 'checkout', '-qf', source.pick(commits))],
    ['output edited', () => existsSync(made) && writeFileSync(made, 'edited')],
    ['output deleted', () => rmSync(made, { force: true })],
    ['output not executable', () => existsSync(path('build/app')) && chmodSync(path('build/app'), 0o644)],
    ['output touched', () => existsSync(made) && utimesSync(made, new Date(), new Date())],
    ['state deleted', () => rmSync(path('.cli/state'), { recursive: true, force: true, maxRetries: 10 })],
  ];
  // Edits of contents are as frequent as all others.
  const [title, change] = source.chance(0.3) ? (edits[0] ?? source.pick(edits)) : source.pick(edits);
  change();
  return title;
}

/** What is made, with modes, and whether all succeeds; from the beginning, without the tool. */
async function cleanBuild(cwd: string, directory: string): Promise<readonly [boolean, string | undefined]> {
  rmSync(directory, { recursive: true, force: true });
  for (const name of ['src', 'include', 'generate.sh'])
    if (existsSync(join(cwd, name))) cpSync(join(cwd, name), join(directory, name), { recursive: true });
  const script = `./generate.sh && ${LINK} && { c=0; build/app || c=$?; echo $c >build/result; } && ! grep -q TODO src/*.c`;
  const { code } = await finish('bash', ['-c', script], { cwd: directory });
  return [code === 0, code === 0 ? made(directory) : undefined];
}

function made(cwd: string): string {
  return ['build/main.c', 'build/app', 'build/result']
    .map((name) => `${statSync(join(cwd, name)).mode & 0o111} ${readFileSync(join(cwd, name), 'latin1')}`)
    .join('\n');
}

test('after random edits of a C project, before and during runs, the next run makes what a clean build makes, and another one runs nothing', async (t) => {
  const source = random(SEED);
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': { workflows: WORKFLOWS },
    '.gitignore': 'build\n.cli\n',
    'generate.sh': GENERATE,
    'src/f_0.c': '',
    'include/offset.h': '',
  });
  chmodSync(join(cwd, 'generate.sh'), 0o755);
  const commits = writeProject(cwd, source);
  const directory = join(temporaryDirectory(t), 'clean');
  const run = async (): Promise<boolean> => (await cli(['run', 'ci', '-q'], { cwd })).code === 0;
  const counts = { successes: 0, failures: 0, nothing: 0 };
  let milliseconds = 500;
  for (let count = 0; count < EDITS; count += 1) {
    const titles = [edit(cwd, source, commits)];
    const start = performance.now();
    const running = run();
    await delay(source.below(Math.ceil(milliseconds)));
    titles.push(edit(cwd, source, commits));
    await running;
    milliseconds = Math.min(2000, performance.now() - start);
    const message = `edit ${count} with seed ${SEED}: ${titles.join(', ')}`;
    const succeeds = await run();
    const [isGood, expected] = await cleanBuild(cwd, directory);
    assert.equal(succeeds, isGood, message);
    counts[isGood ? 'successes' : 'failures'] += 1;
    if (!isGood) continue;
    assert.equal(made(cwd), expected, message);
    const again = await cli(['workflow', 'run', 'ci', '-q'], { cwd });
    assert.deepEqual(v.parse(Result, JSON.parse(again.stdout)), { success: true, steps: [] }, message);
    counts.nothing += 1;
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.successes > counts.failures, JSON.stringify(counts));
});
