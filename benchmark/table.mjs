import { GROUP_SIZE } from './inputs.mjs';
import { recordCost } from './record_cost.mjs';

const PRINTING = /: ([\d,]+) lines? each$/;
const linesOf = ({ name }) => GROUP_SIZE * Number(PRINTING.exec(name)[1].replaceAll(',', ''));

/** The results of one case as a section in Markdown, with the cost per line or per record where one is measured. */
export function section(name, rows) {
  const costs = rows.every((row) => PRINTING.test(row.name)) ? `\n${lineCosts(rows)}` : '';
  const records = recordCost(rows, '') === undefined ? '' : `\n${recordCosts(rows)}`;
  return `## ${name}\n\n${table(rows)}${costs}${records}`;
}

/** The CPU time of records, with the standalone executable too. */
function recordCosts(rows) {
  const lines = ['', ' (standalone)'].map((kind) => {
    const { start, step } = recordCost(rows, kind);
    return `| cli${kind} | ${start.toFixed(1)} | ${step.toFixed(2)} |\n`;
  });
  const sync = recordCost(rows, '').sync.toFixed(2);
  const head = '| | ms with the first step | ms per further step |\n| --- | ---: | ---: |\n';
  return `${head}${lines.join('')}| spawn in Node.js, synced | | ${sync} |\n`;
}

/**
 * The CPU time per line printed by a member of a group, in µs. The first half of the rows are tools with few lines per
 * member; the second half are the same tools, in the same order, with many.
 */
function lineCosts(rows) {
  const half = rows.length / 2;
  const costs = rows.slice(0, half).map((few, index) => {
    const many = rows[half + index];
    const cost = ((many.ms - few.ms) * 1000) / (linesOf(many) - linesOf(few));
    return `| ${few.name.replace(PRINTING, '')} | ${cost.toFixed(2)} |\n`;
  });
  return `| | µs per line |\n| --- | ---: |\n${costs.join('')}`;
}

/** The results of one case as a table in Markdown. */
export function table(rows) {
  const lines = rows.map(({ name, ms, ratio, least, most, mib }) => {
    const spread = `${least.toFixed(2)}–${most.toFixed(2)}`;
    const cell = name.replaceAll('|', '\\|');
    return `| ${cell} | ${ms.toFixed(1)} | ${ratio.toFixed(2)} | ${spread} | ${mib?.toFixed(1) ?? ''} |\n`;
  });
  return `| | ms | ratio | from–to | MiB |\n| --- | ---: | ---: | ---: | ---: |\n${lines.join('')}`;
}
