import type { MemberLines } from '../../../backend/outputs/branch_output.ts';
import type { BranchOptions } from '../../../backend/command_runner.ts';
import { isInBackground } from '../../../ir/ops.ts';
import type { Plan } from '../../../ir/plan.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { createStyler, escapeText, type Style, type Styler } from '../../output/style.ts';
import { truncateMiddle, widthOf } from '../../output/text_width.ts';
import { Titles } from '../../reporters/step_titles.ts';

/** Maximum width of a name in a prefix, in columns. */
const MAX_WIDTH = 20;

/** Red is the colour of failures. */
const COLOURS = ['cyan', 'magenta', 'yellow', 'blue', 'green'] as const;

/**
 * The lines of a group's members at a terminal, which begin with their titles in one width, in different colours. Unless
 * `isQuiet`, a member without output is shown as running.
 */
export function terminalMembers(plan: Plan, style: Style, isQuiet: boolean): MemberLines {
  const styler = createStyler(style);
  const prefixes = prefixesOf(plan, styler);
  const prefixOf = (branch: Member): string => prefixes.get(branch) ?? '';
  if (isQuiet) return { prefixOf };
  return {
    prefixOf,
    silence: (duration) => styler.text(`still running, no output for ${formatElapsed(duration)}`, 'faint'),
  };
}

/** A member of a group, or a step in the background. */
type Member = BranchOptions['branch'];

function prefixesOf(plan: Plan, styler: Styler): ReadonlyMap<Member, string> {
  const titles = new Titles(plan);
  const prefixes = new Map<Member, string>();
  for (const op of plan.ops) {
    if (isInBackground(op)) {
      const name = truncateMiddle(escapeText(titles.ofOp(op)), MAX_WIDTH);
      prefixes.set(op, `${styler.text(name, COLOURS[prefixes.size % COLOURS.length])} │ `);
    }
    if (op.kind !== 'parallel') continue;
    const names = op.branches.map((branch) => truncateMiddle(escapeText(titles.ofBranch(branch)), MAX_WIDTH));
    const width = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
    for (const [index, branch] of op.branches.entries()) {
      const name = names[index] ?? '';
      const padded = `${name}${' '.repeat(width - widthOf(name))}`;
      prefixes.set(branch, `${styler.text(padded, COLOURS[index % COLOURS.length])} │ `);
    }
  }
  return prefixes;
}
