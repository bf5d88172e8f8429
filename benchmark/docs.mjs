// `npm run bench:docs`: writes the results of the last full benchmark to docs/performance.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { section } from './table.mjs';
import { targetTable } from './targets.mjs';

const PAGE = 'docs/performance.md';

const { date, machine, results } = JSON.parse(readFileSync('build/bench/results.json', 'utf8'));
const tables = Object.entries(results).map(([name, rows]) => section(name, rows));
const made = `Measured on ${date} by \`npm run bench\`: ${machine}.`;
const page = put(readFileSync(PAGE, 'utf8'), 'targets', `${made}\n\n${targetTable(results)}`);
writeFileSync(PAGE, put(page, 'results', `${made}\n\n${tables.join('\n')}`));
execFileSync('node_modules/.bin/prettier', ['--write', PAGE], { stdio: 'ignore' });

/** Replaces the text between the comments that mark a part of the page. */
function put(page, part, text) {
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const [before, rest] = page.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error(`${PAGE} has no place for the ${part}`);
  return [before, begin, '\n\n', text, '\n', end, after].join('');
}
