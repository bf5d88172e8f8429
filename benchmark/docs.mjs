// `npm run bench:docs`: puts the results of the last whole benchmark into docs/performance.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { table } from './table.mjs';

const PAGE = 'docs/performance.md';
const [BEGIN, END] = ['<!-- results -->', '<!-- end of results -->'];

const { date, machine, results } = JSON.parse(readFileSync('build/bench/results.json', 'utf8'));
const page = readFileSync(PAGE, 'utf8');
const [before, rest] = page.split(BEGIN);
const [, after] = rest?.split(END) ?? [];
if (after === undefined) throw new Error(`${PAGE} has no place for the results`);
const tables = Object.entries(results).map(([name, rows]) => `### ${name}\n\n${table(rows)}`);
const made = `Measured on ${date} by \`npm run bench\`: ${machine}.`;
writeFileSync(PAGE, [before, BEGIN, '\n\n', made, '\n\n', tables.join('\n'), '\n', END, after].join(''));
execFileSync('node_modules/.bin/prettier', ['--write', PAGE], { stdio: 'ignore' });
