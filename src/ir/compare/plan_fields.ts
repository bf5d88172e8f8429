import type { Input } from '../../frontend/ast.ts';
import { conditionParts } from '../ops.ts';
import { inputsOf } from '../inputs.ts';
import type { Secrecy } from '../secret_names.ts';
import { at, framesFrom, type Call, type ConditionOp, type HookOp, type ParallelOp } from '../plan.ts';
import type { PathPattern, Plan, RunOp } from '../plan.ts';
import { describeInput } from '../views/describe_input.ts';
import { describeSecret } from '../views/describe_secret.ts';
import { comparedOptions, groupOptions, stepOptions } from '../views/step_options.ts';

/** A value of a plan: the compared text, and the text to show. */
export type ComparedValue = Readonly<{ text: string; shown: string }>;

/** Fields by their names in a workflow file; null for a default value. */
export type Fields = Readonly<Record<string, string | ComparedValue | null>>;

export function fieldsOf(fields: Fields): ReadonlyMap<string, ComparedValue> {
  const set = new Map<string, ComparedValue>();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null) set.set(name, typeof value === 'string' ? { text: value, shown: value } : value);
  }
  return set;
}

/** The fields of a call. A new field of calls fails to compile until it is compared, or listed as part of another. */
export function callFields(plan: Plan, call: Call, isSecret: Secrecy): Fields {
  const { workflow, from, guard: _guard, start: _start, end: _end, frame, inputs: _inputs, lock, ...rest } = call;
  rest satisfies Record<string, never>;
  const inputs = inputsOf(plan, call) ?? [];
  const text = inputs.map((input) => inputText(input, false)).join('; ');
  const shown = inputs.map((input) => inputText(input, input.secret || isSecret(input.name))).join('; ');
  const files = dotenvBetween(plan, frame, from === null ? null : at(plan.calls, from.call).frame);
  return {
    workflow,
    inputs: inputs.length === 0 ? null : { text, shown },
    dotenv: files.length === 0 ? null : files.join(', '),
    lock: lock?.text ?? null,
  };
}

function inputText(input: Input, isHidden: boolean): string {
  return [input.name, ...describeInput(input, isHidden)].join(', ');
}

/**
 * The dotenv files of the frames from `inner` outwards to `outer`. Variables of frames are compared for each command.
 */
function dotenvBetween(plan: Plan, inner: number, outer: number | null): string[] {
  const paths: string[] = [];
  for (const [, frame] of framesFrom(plan, inner, outer)) {
    const {
      parent: _parent,
      dotenv = [],
      source: _source,
      vars: _vars,
      inputs: _inputs,
      lookup: _lookup,
      matrix: _matrix,
      ...rest
    } = frame;
    rest satisfies Record<string, never>;
    paths.unshift(...dotenv.map(({ path }) => path));
  }
  return paths;
}

/**
 * The fields of a command. A new field of its op fails to compile until it is compared, or listed as part of another.
 */
export function runFields(plan: Plan, op: RunOp): Fields {
  const {
    kind: _kind,
    name: _name,
    command,
    reads: _reads,
    errexit,
    secrets: _secrets,
    frame: _frame,
    dir,
    dirLookup: _lookup,
    ...others
  } = op;
  // The text of the question is among the options.
  const { options, question: _question, offset: _offset, call: _call, step: _step, ready: _ready, ...rest } = others;
  rest satisfies Record<string, never>;
  const script = errexit === true ? 'true' : null;
  return { command, script, dir, secrets: secretsField(plan, op), ...comparedOptions(stepOptions(options)) };
}

/** The fields of a step's conditions and checks. */
export function conditionFields(conditions: readonly ConditionOp[]): Fields {
  const fields: Record<string, string | null> = { condition: null };
  for (const { test } of conditions) {
    if (test.kind === 'first') fields['once'] = 'true';
    else if (test.kind === 'stale') {
      fields['sources'] = patternTexts(test.sources);
      if (test.generates.length > 0) fields['generates'] = patternTexts(test.generates);
    } else fields['condition'] = conditionParts(test).text;
  }
  return fields;
}

function patternTexts(patterns: readonly PathPattern[]): string {
  return patterns.length === 0 ? 'none' : patterns.map(({ text }) => text).join(', ');
}

export function hookFields(plan: Plan, op: HookOp): Fields {
  const {
    kind: _kind,
    hook: _hook,
    when: _when,
    frame: _frame,
    offset: _offset,
    command,
    reads: _reads,
    errexit,
    secrets: _secrets,
    call: _call,
    dir = null,
    dirLookup: _lookup,
    ...rest
  } = op;
  rest satisfies Record<string, never>;
  return { command, script: errexit === true ? 'true' : null, dir, secrets: secretsField(plan, op) };
}

/** The secrets of a command, with their providers: a changed provider changes the command. */
function secretsField({ secrets: all = [] }: Plan, { secrets = [] }: RunOp | HookOp): string | null {
  return secrets.length === 0 ? null : secrets.map((index) => describeSecret(at(all, index), () => false)).join(', ');
}

export function groupFields(op: ParallelOp): Fields {
  const { kind: _kind, name: _name, branches: _branches, end: _end, frame: _frame, group, ...others } = op;
  const { offset: _offset, call: _call, step: _step, ...rest } = others;
  rest satisfies Record<string, never>;
  return comparedOptions(groupOptions(group));
}
