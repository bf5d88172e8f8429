import type { Input } from '../../frontend/ast.ts';
import type { Output } from '../../frontend/schema/option_fields.ts';
import { maskValue, secretNames, type Secrecy } from '../secret_names.ts';
import { dotenvPaths } from '../link.ts';
import { conditionParts } from '../ops.ts';
import { outputVariables } from '../output_variables.ts';
import { at, type Directory, type HookOp, type Op, type OutputRead, type Plan, type RunOp } from '../plan.ts';
import type { PathPattern, ScopedVariable, Test, VariableLookup } from '../plan.ts';
import { describeInput } from './describe_input.ts';
import { describeGroup, describeOptions } from './step_options.ts';
import { describeSecret } from './describe_secret.ts';
import { formatOutputSource } from './format_json_path.ts';

/** An entry of a section: its label, the frame or call it belongs to, the rest of the line, and lines below it. */
type Entry = readonly [label: string, link: string, rest: string, ...below: string[]];

/** Maximum width of a padded label. A longer one would shift the whole section to the right. */
const MAX_COLUMN_WIDTH = 40;

/** The text form of a plan, a line for each frame, call and op. Secrets are masked. */
export function* disassemble(plan: Plan): Generator<string> {
  const isSecret = secretNames(plan);
  yield `params   ${plan.params.length === 0 ? 'none' : assignments(plan.params, isSecret)}`;
  yield* section('files', plan.files ?? [], ({ path }) => [word(path), '', '']);
  const paths = dotenvPaths(plan, {});
  yield* section(
    'frames',
    plan.frames,
    ({ source, parent, vars, inputs = [], dotenv = [], lookup = parent }, index) => {
      const below = [
        ...readsOfFrame(vars, isSecret),
        ...lookupsOfFrame(vars, lookup, isSecret),
        ...inputs.map((input) => inputText(input, isSecret)),
        ...dotenv.flatMap(({ path: text, lookups }) => (lookups ? [listOf('chosen by', [{ text, lookups }])] : [])),
      ];
      const rest = dotenv.length === 0 ? assignments(vars, isSecret) : (paths[index] ?? []).map(word).join(' ');
      return [source, parent === null ? '' : `<${parent}`, rest, ...below];
    },
  );
  yield* section('calls', plan.calls, ({ workflow, from, start, lock }) => {
    const link = from === null ? '' : `<${from.call} step ${from.step}`;
    return [word(workflow), link, `op ${start}`, ...(lock === undefined ? [] : [listOf('holds lock', [lock])])];
  });
  yield* section('ops', plan.ops, (op) => opEntry(plan, op));
  yield* section('secrets', plan.secrets ?? [], (secret) => [describeSecret(secret, isSecret), '', '']);
}

function opEntry(plan: Plan, op: Op): Entry {
  const link = `@${op.frame}`;
  switch (op.kind) {
    case 'hook':
      return [
        op.call === undefined ? `hook ${op.hook}` : `hook ${op.hook} of ${op.call}`,
        link,
        line(op.command),
        ...scriptOf(op),
        ...readsOf(op.reads),
        ...secretsOf(op),
        ...dirOf(op),
      ];
    case 'condition': {
      const { text, reads, variable } = conditionParts(op.test);
      const label = variable === undefined ? 'condition ' : 'condition $';
      return [
        `${label}${line(text)}`,
        link,
        `else ${op.target}`,
        ...readsOf(reads),
        ...patternsOf(op.test),
        ...dirOf(op),
      ];
    }
    case 'run': {
      const label = `run ${word(at(plan.calls, op.call).workflow)}/${word(op.name)}`;
      const options = describeOptions(op.options, describeOutputs);
      return [
        label,
        link,
        line(op.command),
        ...scriptOf(op),
        ...readsOf(op.reads),
        ...secretsOf(op),
        ...dirOf(op),
        ...options,
        ...(op.ready === undefined ? [] : [`ready @${op.ready}`]),
        ...questionOf(op),
      ];
    }
    case 'parallel': {
      const label = `parallel ${word(at(plan.calls, op.call).workflow)}/${word(op.name)}`;
      const branches = op.branches.map(({ name, start, end }) => `${word(name)} ${start.op}..${end.op}`).join(', ');
      return [label, link, branches, ...describeGroup(op.group)];
    }
    case 'stop':
      return [`stop ${word(at(plan.calls, op.call).workflow)}`, link, op.ops.join(', ')];
  }
}

function scriptOf({ errexit }: HookOp | RunOp): string[] {
  return errexit === true ? ['ends at the first line that fails'] : [];
}

/** The secrets that a command gets, by their indexes. */
function secretsOf({ secrets = [] }: HookOp | RunOp): string[] {
  return secrets.length === 0 ? [] : [`gets secrets ${secrets.join(', ')}`];
}

/** The outputs that a command refers to, with the variables that its references become. */
function readsOf(reads: readonly OutputRead[]): string[] {
  const names = outputVariables(reads).all.map(({ name, read }) => `${readText(read)} as ${name}`);
  return names.length === 0 ? [] : [`reads ${names.join(', ')}`];
}

function inputText(input: Input, isSecret: Secrecy): string {
  return [input.name, ...describeInput(input, isSecret(input.name))].join('; ');
}

function readsOfFrame(vars: readonly ScopedVariable[], isSecret: Secrecy): string[] {
  const all = vars.flatMap(([name, , reads = []]) => {
    return reads.map((read) => `${readText(read, (text) => maskValue(isSecret, name, text))} in ${name}`);
  });
  return all.length === 0 ? [] : [`reads ${all.join(', ')}`];
}

/** The variables that the values of a frame refer to, and the frame in which they are looked up. */
function lookupsOfFrame(vars: readonly ScopedVariable[], frame: number | null, isSecret: Secrecy): string[] {
  const all = vars.flatMap(([variable, , , lookups = []]) => {
    return lookups.map((each) => `${lookupText(each, (text) => maskValue(isSecret, variable, text))} for ${variable}`);
  });
  return all.length === 0 ? [] : [`looks up ${all.join(', ')}${frame === null ? '' : ` @${frame}`}`];
}

function lookupText({ name, fallback }: VariableLookup, mask = (text: string): string => text): string {
  return `${name}${fallback === null ? '' : ` or ${JSON.stringify(mask(fallback))}`}`;
}

function readText({ step, from, output, fallback }: OutputRead, mask = (text: string): string => text): string {
  return `${from ?? `(no step ${JSON.stringify(step)})`}.${output}${fallback === null ? '' : ` or ${JSON.stringify(mask(fallback))}`}`;
}

/** The patterns of a check. */
function patternsOf(test: Test): string[] {
  if (test.kind !== 'stale') return [];
  const { sources, generates } = test;
  return [listOf('reads files', sources), ...(generates.length === 0 ? [] : [listOf('makes', generates)])];
}

function listOf(label: string, patterns: readonly PathPattern[]): string {
  const names = patterns.flatMap(({ lookups = [] }) => lookups.map((each) => lookupText(each)));
  const texts = patterns.map(({ text }) => word(text)).join(' ');
  return `${label} ${texts === '' ? 'none' : texts}${names.length === 0 ? '' : `, looks up ${names.join(', ')}`}`;
}

function dirOf({ dir = null, dirLookup }: Partial<Directory>): string[] {
  if (dir === null) return [];
  const names = dirLookup?.lookups.map((each) => lookupText(each)) ?? [];
  const lookups = dirLookup === undefined ? '' : `, looks up ${names.join(', ')} @${dirLookup.frame}`;
  return [`in ${word(dir)}${lookups}`];
}

/** The outputs and variables that a question refers to. */
function questionOf({ question }: RunOp): string[] {
  if (question === undefined) return [];
  const { reads, lookups } = question;
  const names = [...lookups.map((each) => lookupText(each)), ...reads.map((each) => readText(each))];
  return names.length === 0 ? [] : [`asks with ${names.join(', ')}`];
}

function describeOutputs(outputs: readonly Output[]): string[] {
  return outputs.map(([name, path]) => `gives ${name} from ${formatOutputSource(path)}`);
}

function* section<Item>(
  title: string,
  items: readonly Item[],
  entryOf: (item: Item, index: number) => Entry,
): Generator<string> {
  const entries = items.map((item, index) => entryOf(item, index));
  const width = (column: 0 | 1): number =>
    entries.reduce((widest, cells) => Math.max(widest, Math.min(cells[column].length, MAX_COLUMN_WIDTH)), 0);
  const [digits, first, second] = [String(entries.length - 1).length, width(0), width(1)];
  for (const [index, [label, link, rest, ...below]] of entries.entries()) {
    const start = `${(index === 0 ? title : '').padEnd(8)} ${String(index).padStart(digits)}`;
    yield `${start} ${label.padEnd(first)} ${link.padEnd(second)} ${rest}`.trimEnd();
    for (const text of below) yield `${' '.repeat(start.length)}   ${text}`;
  }
}

function assignments(vars: readonly ScopedVariable[], isSecret: Secrecy): string {
  return vars.map(([name, value]) => `${name}=${word(maskValue(isSecret, name, value))}`).join(' ');
}

/** Quoted unless it reads as one word. */
function word(text: string): string {
  return /^[^\s"/\p{C}]+$/u.test(text) ? text : JSON.stringify(text);
}

/** Quoted unless it reads as one line. */
function line(text: string): string {
  return /^\s|^"|\s$|\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}
