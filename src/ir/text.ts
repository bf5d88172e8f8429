import { at, type Op, type Plan, type Variable } from './plan.ts';
import { unreachable } from '../unreachable.ts';
import { shown } from './secret.ts';

/** One line of a section: what it is, what it belongs to, and the rest. */
type Row = readonly [label: string, link: string, rest: string];

/** Longer labels are not lined up, or one would push every line of its section out of sight. */
const WIDEST_LABEL = 40;

/** The plan's text form, one line per frame, call and op: a disassembly. Secrets are masked. */
export function* planText(plan: Plan): Generator<string> {
  yield `params   ${plan.params.length === 0 ? 'none' : assignments(plan.params)}`;
  yield* section(
    'frames',
    plan.frames.map(({ source, parent, vars }) => [
      source,
      parent === null ? '' : `<${parent}`,
      assignments(vars),
    ]),
  );
  yield* section(
    'calls',
    plan.calls.map(({ workflow, from, start }) => [
      word(workflow),
      from === null ? '' : `<${from.call} step ${from.step}`,
      `from op ${start}`,
    ]),
  );
  yield* section(
    'ops',
    plan.ops.map((op) => opRow(plan, op)),
  );
}

function opRow(plan: Plan, op: Op): Row {
  const frame = `@${op.frame}`;
  switch (op.kind) {
    case 'hook':
      return [`hook ${op.hook}`, frame, line(op.command)];
    case 'condition':
      return op.test.kind === 'variable'
        ? [`condition $${op.test.name}`, frame, `else ${op.otherwise}`]
        : ['condition', frame, `else ${op.otherwise} if ${line(op.test.command)}`];
    case 'run': {
      const { workflow } = at(plan.calls, op.call);
      return [`run ${word(workflow)}/${word(op.name)}`, frame, line(op.command)];
    }
    default:
      return unreachable(op);
  }
}

function* section(title: string, rows: readonly Row[]): Generator<string> {
  const digits = String(Math.max(0, rows.length - 1)).length;
  const width = (column: 0 | 1): number =>
    rows.reduce((most, row) => Math.max(most, Math.min(row[column].length, WIDEST_LABEL)), 0);
  const [labelWidth, linkWidth] = [width(0), width(1)];
  for (const [index, [label, link, rest]] of rows.entries()) {
    const start = index === 0 ? title : '';
    const number = String(index).padStart(digits);
    const cells = `${label.padEnd(labelWidth)} ${link.padEnd(linkWidth)} ${rest}`;
    yield `${start.padEnd(8)} ${number} ${cells}`.trimEnd();
  }
}

function assignments(vars: readonly Variable[]): string {
  return vars.map(([name, value]) => `${name}=${word(shown(name, value))}`).join(' ');
}

/** Quoted where it would not read as one word. */
function word(text: string): string {
  return /^[^\s"/\p{C}]+$/u.test(text) ? text : JSON.stringify(text);
}

/** Quoted where it would not read as one line. */
function line(text: string): string {
  return /^\s|^"|\s$|\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}
