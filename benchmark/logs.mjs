// `npm run bench:logs`: what stored output and statistics cost, in CPU time: medians of rounds, measured in turn.
import { rmSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { directory } from './inputs.mjs';
import { compare, median, task } from './measure.mjs';
import { copyRun } from './records.mjs';
import { table } from './table.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 11);
const [STEPS, BYTES, RUNS] = [Number(process.env.STEPS ?? 1000), 100_000_000, 1000];
const root = resolve('build/bench/logs');
rmSync(root, { recursive: true, force: true });
mkdirSync(root, { recursive: true });
const ownEnv = { CLI_NO_JOURNAL: undefined, CLI_LOGS: undefined, XDG_STATE_HOME: join(root, 'state') };
const cli = [process.execPath, resolve('dist/cli.cjs')];

const file = (count, run) => ({ workflows: { one: { steps: Array.from({ length: count }, () => run) } } });

/** A recorded run, whose standard error is no terminal. */
function run(name, content, ...flags) {
  const cwd = directory(root, name.replaceAll(/\W/g, '-'), { '.cli/workflow.json': content });
  return task(name, [...cli, 'run', 'one', '-q', ...flags], { cwd, ownEnv, remove: join(cwd, '.cli/runs') });
}

const print = (line) => process.stdout.write(`${line}\n`);

const steps = compare(
  [
    run('1 step, not stored', file(1, 'echo line'), '--no-logs'),
    run('1 step, stored', file(1, 'echo line')),
    run(`${STEPS} steps, not stored`, file(STEPS, 'echo line'), '--no-logs'),
    run(`${STEPS} steps, stored`, file(STEPS, 'echo line')),
  ],
  ROUNDS,
);
print(table(steps));
// The difference within each round: the speed of a machine drifts by more.
const [none, stored, noneOfMany, storedOfMany] = steps.map(({ times }) => times);
const ofRun = stored.map((ms, round) => ms - none[round]);
const ofStep = ofRun.map((ms, round) => (storedOfMany[round] - noneOfMany[round] - ms) / (STEPS - 1));
print(`a run more than without: ${median(ofRun).toFixed(1)} ms; a step: ${median(ofStep).toFixed(2)} ms (at most 0.3)`);
const write = `head -c ${BYTES} /dev/zero`;
const bytes = compare(
  [
    task('through a pipe', [process.execPath, resolve('benchmark/pipe.mjs'), write]),
    run('stored', file(1, write)),
    run('stored, all of it', file(1, write), '--logs'),
    run('not stored', file(1, write), '--no-logs'),
  ],
  ROUNDS,
);
print(table(bytes));
print(`${BYTES} bytes: ${bytes[1].ratio.toFixed(2)} of a pipe, all of it ${bytes[2].ratio.toFixed(2)} (at most 3)`);
const cwd = directory(root, 'statistics', { '.cli/workflow.json': file(10, 'true') });
copyRun({ cwd, command: [...cli, 'run', 'one', '-q', '--no-logs'], env: { ...process.env, ...ownEnv }, count: RUNS });
const statistics = compare(
  [
    task('node -e 0', [process.execPath, '-e', '0']),
    task('of a workflow', [...cli, 'runs', '--stats', 'one'], { cwd, ownEnv }),
    task('of all workflows', [...cli, 'runs', '--stats'], { cwd, ownEnv }),
  ],
  ROUNDS,
);
print(table(statistics));
print(
  `statistics of ${RUNS} runs: ${statistics[1].ratio.toFixed(1)} and ${statistics[2].ratio.toFixed(1)} of node -e 0 (at most 10)`,
);
