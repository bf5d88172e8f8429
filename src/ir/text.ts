import { unreachable } from '../unreachable.ts';
import { at, type Op, type Plan, type Variable } from './plan.ts';
import { testText } from './preview.ts';
import { shown } from './secret.ts';

/** One line of a section: what it is, what it belongs to, and the rest. */
type Row = readonly [label: string, link: string, rest: string];

/** Longer labels are not lined up, or one would push every line of its section out of sight. */
const WIDEST = 40;

/** The plan's text form, one line per frame, call and op: a disassembly. Secrets are masked. */
export function* planText(plan: Plan): Generator<string> {
  yield `params   ${plan.params.length === 0 ? 'none' : assignments(plan.params)}`;
  yield* section('frames', plan.frames, ({ source, parent, vars }) => {
    return [source, parent === null ? '' : `<${parent}`, assignments(vars)];
  });
  yield* section('calls', plan.calls, ({ workflow, from, start }) => {
    return [word(workflow), from === null ? '' : `<${from.call} step ${from.step}`, `op ${start}`];
  });
  yield* section('ops', plan.ops, (op) => opRow(plan, op));
}

function opRow(plan: Plan, op: Op): Row {
  switch (op.kind) {
    case 'hook':
      return [`hook ${op.hook}`, `@${op.frame}`, line(op.command)];
    case 'condition': {
      const label = op.test.kind === 'variable' ? 'condition $' : 'condition ';
      return [`${label}${line(testText(op.test))}`, `@${op.frame}`, `else ${op.otherwise}`];
    }
    case 'run': {
      const label = `run ${word(at(plan.calls, op.call).workflow)}/${word(op.name)}`;
      return [label, `@${op.frame}`, line(op.command)];
    }
    default:
      return unreachable(op);
  }
}

function* section<Item>(title: string, items: readonly Item[], row: (item: Item) => Row): Generator<string> {
  const rows = items.map(row);
  const width = (column: 0 | 1): number =>
    rows.reduce((most, cells) => Math.max(most, Math.min(cells[column].length, WIDEST)), 0);
  const [digits, first, second] = [String(rows.length - 1).length, width(0), width(1)];
  for (const [index, [label, link, rest]] of rows.entries()) {
    const start = `${(index === 0 ? title : '').padEnd(8)} ${String(index).padStart(digits)}`;
    yield `${start} ${label.padEnd(first)} ${link.padEnd(second)} ${rest}`.trimEnd();
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
