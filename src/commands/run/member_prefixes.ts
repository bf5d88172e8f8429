import type { Branch, Plan } from '../../ir/plan.ts';
import { createStyler, escapeText, type Style } from '../../output/style.ts';
import { truncateMiddle, widthOf } from '../../output/text_width.ts';
import { Titles } from '../../reporters/titles.ts';

/** Maximum width of a name in a prefix, in columns. */
const MAX_WIDTH = 20;

/** Red is the colour of failures. */
const COLOURS = ['cyan', 'magenta', 'yellow', 'blue', 'green'] as const;

/** The texts before the lines of a group's members at a terminal: their titles in one width, in different colours. */
export function memberPrefixes(plan: Plan, style: Style): (branch: Branch) => string {
  const titles = new Titles(plan);
  const styler = createStyler(style);
  const prefixes = new Map<Branch, string>();
  for (const op of plan.ops) {
    if (op.kind !== 'parallel') continue;
    const names = op.branches.map((branch) => truncateMiddle(escapeText(titles.ofBranch(branch)), MAX_WIDTH));
    const width = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
    for (const [index, branch] of op.branches.entries()) {
      const name = names[index] ?? '';
      const padded = `${name}${' '.repeat(width - widthOf(name))}`;
      prefixes.set(branch, `${styler.text(padded, COLOURS[index % COLOURS.length])} │ `);
    }
  }
  return (branch) => prefixes.get(branch) ?? '';
}
