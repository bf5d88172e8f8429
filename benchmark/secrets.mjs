// `npm run bench:secrets`: what secrets cost, in CPU time: medians of rounds, measured in turn.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { directory } from './inputs.mjs';
import { compare, task } from './measure.mjs';
import { table } from './table.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const COUNT = 100;
const STEPS = 1000;
const root = resolve('build/bench/secrets');
rmSync(root, { recursive: true, force: true });

const names = Array.from({ length: COUNT }, (_, index) => `S${index}`);
const steps = (count, step) => ({ workflows: { one: { steps: Array.from({ length: count }, () => step) } } });
/** A file whose steps list secrets, each with a program of its own. */
const listing = (count, secrets) => ({
  secrets: Object.fromEntries(secrets.map((name, index) => [name, { command: ['/bin/echo', `value ${index + 1}`] }])),
  ...steps(count, { run: 'true', secrets }),
});

/** A run of a file. `given` are the secrets that the environment has. */
function run(name, file, given = []) {
  const cwd = directory(root, name.replaceAll(/\W/g, '-'), { '.cli/workflow.json': file });
  const ownEnv = Object.fromEntries(given.map((each, index) => [each, `value ${index + 1}`]));
  return task(name, [process.execPath, resolve('dist/cli.cjs'), 'workflow', 'run', 'one'], { cwd, ownEnv });
}

const loop = (count) =>
  task(`spawn in Node.js, ${count} programs`, [process.execPath, resolve('benchmark/provider.mjs'), `${count}`]);

const [first] = names;
const many = compare(
  [
    run(`${STEPS} steps`, steps(STEPS, { run: 'true' })),
    run(`${STEPS} steps that list a secret`, listing(STEPS, [first]), [first]),
  ],
  ROUNDS,
);
const single = compare(
  [
    run('1 step', steps(1, { run: 'true' })),
    run('1 secret from the environment', listing(1, [first]), [first]),
    run(`${COUNT} secrets from the environment`, listing(1, names), names),
    run(`${COUNT} secrets from programs`, listing(1, names)),
    loop(0),
    loop(COUNT),
  ],
  ROUNDS,
);
const [plain, one, all, fetched, none, bare] = single.map(({ ms }) => ms);
const print = (line) => process.stdout.write(`${line}\n`);

print(`${table(many)}\n${table(single)}`);
print(`${STEPS} steps that list a secret: ${many[1].ratio.toFixed(3)} of the same without (at most 1.05)`);
print(`the first secret of a file: ${(one - plain).toFixed(2)} ms`);
print(`a further secret from the environment: ${((all - one) / (COUNT - 1)).toFixed(3)} ms (at most 0.2)`);
print(`a program: ${((fetched - all) / (bare - none)).toFixed(2)} of a bare spawn (at most 1.2)`);
