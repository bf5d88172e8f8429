import { unreachable } from '../../unreachable.ts';
import { describeOptions } from './describe_options.ts';
import { formatJsonPath } from './format_json_path.ts';
import { at, type Op, type Plan, type OutputRead, type RunOp, type ScopedVariable } from '../plan.ts';
import { testText } from './preview.ts';
import { outputVariables } from '../output_variables.ts';
import { maskValue } from '../mask.ts';

/** One line of a section: what it is, what it belongs to, and the rest; and lines under it. */
type Row = readonly [label: string, link: string, rest: string, ...more: string[]];

/** Longer labels are not lined up, or one would push every line of its section out of sight. */
const WIDEST = 40;

/** The plan's text form, one line per frame, call and op: a disassembly. Secrets are masked. */
export function* disassemble(plan: Plan): Generator<string> {
  yield `params   ${plan.params.length === 0 ? 'none' : assignments(plan.params)}`;
  yield* section('frames', plan.frames, ({ source, parent, vars }) => {
    return [source, parent === null ? '' : `<${parent}`, assignments(vars), ...readsOfFrame(vars)];
  });
  yield* section('calls', plan.calls, ({ workflow, from, start }) => {
    return [word(workflow), from === null ? '' : `<${from.call} step ${from.step}`, `op ${start}`];
  });
  yield* section('ops', plan.ops, (op) => opRow(plan, op));
}

function opRow(plan: Plan, op: Op): Row {
  switch (op.kind) {
    case 'hook':
      return [`hook ${op.hook}`, `@${op.frame}`, line(op.command), ...readsOf(op.reads)];
    case 'condition': {
      const label = op.test.kind === 'variable' ? 'condition $' : 'condition ';
      const reads = op.test.kind === 'variable' ? [] : readsOf(op.test.reads);
      return [`${label}${line(testText(op.test))}`, `@${op.frame}`, `else ${op.target}`, ...reads, ...dirOf(op)];
    }
    case 'run': {
      const label = `run ${word(at(plan.calls, op.call).workflow)}/${word(op.name)}`;
      return [
        label,
        `@${op.frame}`,
        line(op.command),
        ...readsOf(op.reads),
        ...dirOf(op),
        ...describeOptions(op),
        ...givesOf(op),
      ];
    }
    default:
      return unreachable(op);
  }
}

/** What is read into a command: the variable that each reference becomes. */
function readsOf(reads: readonly OutputRead[]): string[] {
  const names = outputVariables(reads).all.map(({ name, read }) => `${readText(read)} as ${name}`);
  return names.length === 0 ? [] : [`reads ${names.join(', ')}`];
}

function readsOfFrame(vars: readonly ScopedVariable[]): string[] {
  const all = vars.flatMap(([name, , reads = []]) => reads.map((read) => `${readText(read)} in ${name}`));
  return all.length === 0 ? [] : [`reads ${all.join(', ')}`];
}

function readText({ from, output }: OutputRead): string {
  return `${from}.${output}`;
}

function dirOf({ dir }: Extract<Op, { dir: string | null }>): string[] {
  return dir === null ? [] : [`in ${word(dir)}`];
}

function givesOf({ outputs }: RunOp): string[] {
  return outputs.map(([name, path]) => `gives ${name} from ${formatJsonPath(path)}`);
}

function* section<Item>(title: string, items: readonly Item[], row: (item: Item) => Row): Generator<string> {
  const rows = items.map(row);
  const width = (column: 0 | 1): number =>
    rows.reduce((most, cells) => Math.max(most, Math.min(cells[column].length, WIDEST)), 0);
  const [digits, first, second] = [String(rows.length - 1).length, width(0), width(1)];
  for (const [index, [label, link, rest, ...more]] of rows.entries()) {
    const start = `${(index === 0 ? title : '').padEnd(8)} ${String(index).padStart(digits)}`;
    yield `${start} ${label.padEnd(first)} ${link.padEnd(second)} ${rest}`.trimEnd();
    for (const text of more) yield `${' '.repeat(start.length)}   ${text}`;
  }
}

function assignments(vars: readonly ScopedVariable[]): string {
  return vars.map(([name, value]) => `${name}=${word(maskValue(name, value))}`).join(' ');
}

/** Quoted where it would not read as one word. */
function word(text: string): string {
  return /^[^\s"/\p{C}]+$/u.test(text) ? text : JSON.stringify(text);
}

/** Quoted where it would not read as one line. */
function line(text: string): string {
  return /^\s|^"|\s$|\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}
