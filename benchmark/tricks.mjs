// `npm run bench:tricks`: measures the effect of each start-up optimisation of the bundle by disabling it.
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundle, isYargs } from '../scripts/bundle.mjs';
import { directory, ours } from './inputs.mjs';
import { compare, task } from './measure.mjs';
import { table } from './table.mjs';

const root = resolve('build/tricks');
rmSync(root, { recursive: true, force: true });
mkdirSync(root, { recursive: true });
const cwd = directory(root, 'work', { '.cli/workflow.json': ours.steps(1) });

const VARIANTS = {
  'as published': {},
  'not minified': { minify: false },
  'with unused parts of packages': { withoutBallast: false },
  'all commands in one file, yargs apart': { isApart: isYargs },
  'all in one file': { isApart: () => false },
};

const tasks = [task('node -e 0', [process.execPath, '-e', '0'])];
for (const [name, tricks] of Object.entries(VARIANTS)) {
  const place = `${root}/${name}`;
  await bundle(place, tricks);
  tasks.push(...both(name, `${place}/cli.cjs`));
}
// As it was compiled for the tests: a file for each source, and packages from node_modules.
tasks.push(...both('not bundled', resolve('build/src/main.js')));
process.stdout.write(table(compare(tasks, process.argv.includes('--quick') ? 1 : 20)));

function both(name, file) {
  return ['list', 'run one'].map((words) => {
    return task(`${name}: ${words}`, [process.execPath, file, 'workflow', ...words.split(' ')], { cwd });
  });
}
