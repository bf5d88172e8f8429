// `npm run bench:checks`: what up-to-date checks cost, in CPU time: medians of rounds, measured in turn.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { directory } from './inputs.mjs';
import { compare, task } from './measure.mjs';
import { table } from './table.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const [DIRECTORIES, FILES] = [100, 100];
const root = resolve('build/bench/checks');
rmSync(root, { recursive: true, force: true });

const step = (more) => ({ steps: [{ name: 'lint', run: 'true', ...more }] });
const cwd = directory(root, 'project', {
  '.cli/workflow.json': {
    workflows: { plain: step({}), all: step({ sources: ['src'] }), one: step({ sources: ['src/0/0.c'] }) },
  },
});
for (let index = 0; index < DIRECTORIES; index += 1) {
  mkdirSync(join(cwd, `src/${index}`), { recursive: true });
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(join(cwd, `src/${index}/${file}.c`), `int f_${index}_${file}(void) { return ${file}; }\n`.repeat(25));
}

const ownEnv = { XDG_STATE_HOME: join(root, 'state') };
const bundle = resolve('dist/cli.cjs');
const command = (...args) => [process.execPath, bundle, 'run', ...args, '-q'];
const run = (name, args, remove) => task(name, command(...args), { cwd, ownEnv, remove });
const state = join(cwd, '.cli/state');

// A file is settled two seconds after it was written.
await new Promise((done) => void setTimeout(done, 2500));
for (const name of ['all', 'one', 'all', 'one']) {
  const { status } = spawnSync(process.execPath, command(name).slice(1), { cwd, env: { ...process.env, ...ownEnv } });
  if (status !== 0) throw new Error(`the run of ${name} ended with ${status}`);
}

const plain = () => run('the same step without sources', ['plain']);
const one = compare(
  [plain(), run('one source, unchanged', ['one']), run('one source, --force', ['one', '--force'])],
  ROUNDS,
);
const unchanged = compare([plain(), run('10,000 sources, unchanged', ['all'])], ROUNDS);
const hashing = compare(
  [
    task('sha256sum', ['find', 'src', '-type', 'f', '-exec', 'sha256sum', '{}', '+'], { cwd }),
    plain(),
    task('node -e 0', [process.execPath, '-e', '0']),
    task('a loop in Node.js', [process.execPath, resolve('benchmark/hash.mjs'), 'src'], { cwd }),
    run('10,000 sources for the first time', ['all'], state),
  ],
  ROUNDS,
);

const print = (line) => process.stdout.write(`${line}\n`);
const more = (rows, index, base = 0) => rows[index].ms - rows[base].ms;
const [sum] = hashing;
print(`${table(one)}\n${table(unchanged)}\n${table(hashing)}`);
print(`a step with one source that is unchanged: ${more(one, 1).toFixed(1)} ms (at most 8)`);
print(`a step with one source that runs: ${more(one, 2).toFixed(1)} ms (at most 8)`);
print(`10,000 unchanged sources: ${more(unchanged, 1).toFixed(0)} ms (at most 150)`);
print(`their memory: ${(unchanged[1].mib - unchanged[0].mib).toFixed(0)} MiB (at most 40)`);
print(`10,000 sources for the first time: ${(more(hashing, 4, 1) / sum.ms).toFixed(2)} of sha256sum (at most 1.5)`);
print(`the loop in Node.js: ${(more(hashing, 3, 2) / sum.ms).toFixed(2)} of sha256sum`);
