// `npm run bench:docs`: writes the results of the last full benchmarks to docs/performance.md and benchmark/results.md.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { section } from './table.mjs';
import { targetTable } from './targets.mjs';
import { workersPage } from './workers/tables.mjs';

const PAGE = 'docs/performance.md';
const TABLES = 'benchmark/results.md';

const [tools, workers] = ['bench', 'bench_workers'].map((name) => `build/${name}/results.json`);
if (![tools, workers].some((path) => existsSync(path))) throw new Error('no benchmark has been run');
if (existsSync(tools)) {
  const { date, machine, results } = JSON.parse(readFileSync(tools, 'utf8'));
  const tables = Object.entries(results).map(([name, rows]) => section(name, rows));
  const made = `Measured on ${date} by \`npm run bench\`: ${machine}.`;
  put(PAGE, 'targets', `${made}\n\n${targetTable(results)}`);
  put(TABLES, 'results', `Measured on ${date}.\n\n${tables.join('\n')}`);
}
if (existsSync(workers)) put(PAGE, 'workers', workersPage(JSON.parse(readFileSync(workers, 'utf8'))));
execFileSync('node_modules/.bin/oxfmt', [PAGE, TABLES], { stdio: 'ignore' });

/** Replaces the text between the comments that mark a part of a page. */
function put(path, part, text) {
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const [before, rest] = readFileSync(path, 'utf8').split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error(`${path} has no place for the ${part}`);
  writeFileSync(path, [before, begin, '\n\n', text, '\n', end, after].join(''));
}
