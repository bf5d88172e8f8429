import { GROUP_SIZE } from './inputs.mjs';

const PRINTING = /: ([\d,]+) lines? each$/;
const linesOf = ({ name }) => GROUP_SIZE * Number(PRINTING.exec(name)[1].replaceAll(',', ''));

/** The results of one case as a section in Markdown. For groups that print lines, it includes the cost per line. */
export function section(name, rows) {
  const costs = rows.every((row) => PRINTING.test(row.name)) ? `\n${lineCosts(rows)}` : '';
  return `### ${name}\n\n${table(rows)}${costs}`;
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
function table(rows) {
  const lines = rows.map(({ name, ms, ratio, least, most, mib }) => {
    const spread = `${least.toFixed(2)}–${most.toFixed(2)}`;
    const cell = name.replaceAll('|', '\\|');
    return `| ${cell} | ${ms.toFixed(1)} | ${ratio.toFixed(2)} | ${spread} | ${mib?.toFixed(1) ?? ''} |\n`;
  });
  return `| | ms | ratio | from–to | MiB |\n| --- | ---: | ---: | ---: | ---: |\n${lines.join('')}`;
}
