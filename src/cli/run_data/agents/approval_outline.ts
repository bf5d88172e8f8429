import type { Output } from '../../../frontend/schema/option_fields.ts';
import { conditionParts, isInBackground, stoppedSteps } from '../../../ir/ops.ts';
import { at, hookName } from '../../../ir/plan.ts';
import type { ConditionOp, Frame, HookOp, ParallelOp, Plan, RunOp, StopOp } from '../../../ir/plan.ts';
import { maskValue, secretNames, type Secrecy } from '../../../ir/secret_names.ts';
import { describeInput } from '../../../ir/views/describe_input.ts';
import { describeBackground, describeGroup, describeOptions } from '../../../ir/views/step_options.ts';
import { describeSecret } from '../../../ir/views/describe_secret.ts';
import { formatOutputSource } from '../../../ir/views/format_json_path.ts';
import { maskedDirectory, maskedPatterns } from '../../../ir/steps/masked_paths.ts';
import { indent, outlineEntries } from '../../../ir/steps/outline_entries.ts';
import type { DigestedPlan } from '../../../ir/views/plan_digest.ts';

/**
 * Everything that a run does, as an indented list for its approval: like an outline, with all lines of all
 * commands, variables and the programs of secrets. Each line of a command is after a bar, and other texts of the file are
 * quoted unless they are plain, so that nothing in them passes for a line of the list. Secrets are masked. The lines may
 * contain any character but line feeds.
 */
export function* approvalOutline(digested: DigestedPlan): Generator<string> {
  const { plan, args } = digested;
  const { calls, params, workflow } = plan;
  const isSecret = secretNames(plan);
  yield `workflow ${plain(workflow)}`;
  for (const [name, value] of params) yield `${indent(1)}parameter ${assignment(name, value, isSecret)}`;
  for (const arg of args) yield `${indent(1)}argument ${plainWord(arg)}`;
  const parts = new Parts(digested, isSecret);
  yield* parts.frames(at(calls, 0).frame, 1);
  for (const entry of outlineEntries(plan)) {
    const { index, depth } = entry;
    if (entry.kind === 'call') yield* parts.call(index, depth);
    else if (entry.op.kind === 'hook') yield* parts.hook(entry.op, index, depth);
    else if (entry.op.kind === 'run') yield* parts.step(entry.op, index, depth);
    else if (entry.op.kind === 'stop') yield parts.stop(entry.op, depth);
    else yield* parts.group(entry.op, index, depth);
  }
}

/** The lines of the parts of a plan. Each frame and each program of a secret is shown where it is first used. */
class Parts {
  readonly #plan: Plan;
  readonly #written: Plan;
  readonly #isSecret: Secrecy;
  readonly #frames = new Set<number>();
  readonly #secrets = new Set<number>();

  constructor({ plan, written }: DigestedPlan, isSecret: Secrecy) {
    this.#plan = plan;
    this.#written = written;
    this.#isSecret = isSecret;
  }

  *call(index: number, depth: number): Generator<string> {
    const { from, guard, start, frame, workflow, lock } = at(this.#plan.calls, index);
    const name = from === null ? '' : `${plain(from.name)}: `;
    const held = lock === undefined ? '' : `  (lock ${plain(lock.text)})`;
    yield `${indent(depth)}> ${name}workflow ${plain(workflow)}${held}`;
    yield* this.#conditions(guard ?? start, start, depth + 1);
    yield* this.frames(frame, depth + 1);
  }

  *group({ name, group, frame, ...place }: ParallelOp, index: number, depth: number): Generator<string> {
    const words = ['in parallel', ...describeGroup(group)].join('; ');
    yield `${indent(depth)}> ${plain(name)}  (${words})`;
    yield* this.#conditions(this.#firstCondition(index, place), index, depth + 1);
    yield* this.frames(frame, depth + 1);
  }

  stop(op: StopOp, depth: number): string {
    return `${indent(depth)}- stop ${stoppedSteps(this.#plan, op)
      .map(({ name }) => plain(name))
      .join(', ')}`;
  }

  *step(op: RunOp, index: number, depth: number): Generator<string> {
    const words = isInBackground(op)
      ? describeBackground(this.#plan, op, { name: plain, text: plainWord })
      : describeOptions(op.options, describeOutputs);
    yield `${indent(depth)}- ${plain(op.name)}${this.#details(op, index, words)}`;
    yield* this.#conditions(this.#firstCondition(index, op), index, depth + 1);
    yield* this.frames(op.frame, depth + 1);
    yield* this.#command(op, depth + 1);
  }

  *hook(op: HookOp, index: number, depth: number): Generator<string> {
    yield `${indent(depth)}[${plain(hookName(this.#plan, op))}]${this.#details(op, index, [])}`;
    // Its frame is that of its call.
    yield* this.#command(op, depth + 1);
  }

  /** The frames from the outermost one to the given one that are not shown yet. */
  *frames(frame: number, depth: number): Generator<string> {
    const path: Frame[] = [];
    for (let index: number | null = frame; index !== null && !this.#frames.has(index);) {
      const found: Frame = at(this.#plan.frames, index);
      this.#frames.add(index);
      path.push(found);
      index = found.parent;
    }
    for (const each of path.toReversed()) for (const line of this.#frame(each)) yield `${indent(depth)}${line}`;
  }

  *#frame({ vars, inputs = [], dotenv = [] }: Frame): Generator<string> {
    const isSecret = this.#isSecret;
    for (const input of inputs) {
      const quoted = {
        ...input,
        options: input.options.map(plainWord),
        default: input.default && plainWord(input.default),
      };
      const words = describeInput(quoted, input.secret || isSecret(input.name)).join('; ');
      yield `input ${input.name}${words === '' ? '' : `  (${words})`}`;
    }
    for (const { path, vars: loaded } of dotenv) {
      yield `file ${plainWord(path)}${loaded.length === 0 ? ' sets nothing' : ', unless the environment does:'}`;
      for (const [name, value] of loaded) yield `${indent(1)}sets ${assignment(name, value, isSecret)}`;
    }
    for (const [name, value] of vars) yield `sets ${assignment(name, value, isSecret)}`;
  }

  /** The index of the first of the conditions before a step or group. */
  #firstCondition(index: number, { call, step }: Pick<RunOp, 'call' | 'step'>): number {
    let first = index;
    for (let op = this.#plan.ops[first - 1]; op?.kind === 'condition'; op = this.#plan.ops[first - 1]) {
      if (op.call !== call || op.step !== step) break;
      first -= 1;
    }
    return first;
  }

  *#conditions(start: number, end: number, depth: number): Generator<string> {
    for (let index = start; index < end; index += 1) {
      const op = at(this.#plan.ops, index);
      if (op.kind === 'condition') yield* this.#condition(op, index, depth);
    }
  }

  *#condition(op: ConditionOp, index: number, depth: number): Generator<string> {
    const { test } = op;
    if (test.kind === 'stale') {
      const { sources, generates } = maskedPatterns(test, this.#written.ops[index], this.#isSecret);
      yield `${indent(depth)}unless up to date${this.#details(op, index, [])}`;
      for (const text of sources) yield `${indent(depth + 1)}reads ${plainWord(text)}`;
      for (const text of generates) yield `${indent(depth + 1)}makes ${plainWord(text)}`;
    } else if (test.kind === 'command') {
      yield `${indent(depth)}if${this.#details(op, index, [])}`;
      yield* commandLines(test.command, depth + 1);
    } else {
      const { met } = conditionParts(test);
      yield `${indent(depth)}if ${met}`;
    }
  }

  *#command(op: RunOp | HookOp, depth: number): Generator<string> {
    for (const index of op.secrets ?? []) yield `${indent(depth)}${this.#secret(index)}`;
    yield* commandLines(op.command, depth);
  }

  /** A secret that a command gets, with its program unless it is clear. */
  #secret(index: number): string {
    const all = this.#plan.secrets ?? [];
    const secret = at(all, index);
    const isKnown = this.#secrets.has(index) && all.filter(({ name }) => name === secret.name).length === 1;
    this.#secrets.add(index);
    return `gets ${isKnown ? secret.name : describeSecret(secret, this.#isSecret)}`;
  }

  /** The directory of a command, and the words for its options. */
  #details(op: RunOp | HookOp | ConditionOp, index: number, options: readonly string[]): string {
    const dir = maskedDirectory(op, this.#written.ops[index], this.#isSecret);
    const script = op.kind !== 'condition' && op.errexit === true ? ['ends at the first line that fails'] : [];
    const all = [...(dir === null ? [] : [`in ${plainWord(dir)}`]), ...script, ...options];
    return all.length === 0 ? '' : `  (${all.join('; ')})`;
  }
}

/** All lines of a command, each after a bar. */
function* commandLines(command: string, depth: number): Generator<string> {
  for (const line of command.replace(/\n$/, '').split('\n')) yield `${indent(depth)}|${line === '' ? '' : ' '}${line}`;
}

function assignment(name: string, value: string, isSecret: Secrecy): string {
  const shown = maskValue(isSecret, name, value);
  return `${name}=${isSecret(name) || value === '' ? shown : plainWord(value)}`;
}

function describeOutputs(outputs: readonly Output[]): string[] {
  return outputs.map(([name, path]) => `gives ${name} from ${plainWord(formatOutputSource(path))}`);
}

/** A text as it is if it consists of simple words, otherwise as JSON. */
function plain(text: string): string {
  return text.split(' ').every((word) => WORD.test(word)) ? text : JSON.stringify(text);
}

/** A text as it is if it is a simple word, otherwise as JSON. */
function plainWord(text: string): string {
  return WORD.test(text) ? text : JSON.stringify(text);
}

const WORD = /^[\p{L}\p{N}_@%+=:,./$*~-]+$/u;
