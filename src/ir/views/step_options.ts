import type { GroupOptions } from '../../frontend/ast.ts';
import type { Output, Readiness, StepOptions } from '../../frontend/schema/option_fields.ts';
import type { GroupFields } from '../../frontend/schema/step_fields.ts';
import type { OptionFields } from '../../frontend/schema/option_fields.ts';
import { describeReadiness, describeScope, knownReadiness, READY_LIMIT } from '../ops.ts';
import type { Plan, RunOp } from '../plan.ts';
import { formatDuration } from './format_duration.ts';
import { formatOutputSource } from './format_json_path.ts';

/*
 * The options of steps and groups in every view of a plan. A new option does not compile until it is here, under the
 * name of its field.
 */

/**
 * An option that differs from its default: its value in documents, its text, and the text that comparisons of plans
 * show, which is that of the document unless `compared` is given.
 */
type OptionView = Readonly<{ value: unknown; text: string; compared?: string }>;

/** Options by the names of their fields. */
type OptionViews = readonly (readonly [field: string, view: OptionView])[];

type Views<Field extends PropertyKey> = Readonly<Record<Field, OptionView | undefined>>;
export type OptionField = keyof typeof OptionFields.entries;
export type GroupField = keyof typeof GroupFields.entries;

function stepViews(options: StepOptions): Views<OptionField | 'output'> {
  const { outputs, retry, timeout, allowFailure, onCrash, onResume, confirm, background, ready, ...rest } = options;
  rest satisfies Record<string, never>;
  return {
    outputs: outputs.length === 0 ? undefined : outputsView(outputs),
    retry: retry === null ? undefined : retryView(retry.maxAttempts, formatDuration(retry.delay)),
    timeout: timeout === null ? undefined : durationView(formatDuration(timeout)),
    allow_failure: allowFailure ? { value: true, text: 'may fail' } : undefined,
    on_crash: onCrash === 'ask' ? undefined : { value: onCrash, text: `after a crash: ${CRASH_WORDS[onCrash]}` },
    on_resume: onResume && { value: onResume, text: RESUME_WORDS[onResume] },
    confirm: confirm === null ? undefined : { value: confirm, text: `asks ${JSON.stringify(confirm)}` },
    background: background && { value: true, text: 'in the background' },
    ready: ready && readyView(ready),
    output: background === 'grouped' ? GROUPED : undefined,
  };
}

function groupViews({ maxParallel, failFast, output, ...rest }: GroupOptions): Views<GroupField> {
  rest satisfies Record<string, never>;
  return {
    max_parallel: maxParallel === null ? undefined : { value: maxParallel, text: `at most ${maxParallel} at a time` },
    fail_fast: failFast ? { value: true, text: 'the first failure ends the others' } : undefined,
    output: output === 'lines' ? undefined : GROUPED,
  };
}

const GROUPED: OptionView = { value: 'grouped', text: 'output grouped' };
const CRASH_WORDS = { rerun: 'run again', fail: 'failed' } as const;
const RESUME_WORDS = { rerun: 'runs again in a resume', keep: 'kept in a resume' } as const;

function retryView(attempts: number, delay: string): OptionView {
  const compared = `${attempts} attempts, ${delay} apart`;
  return { value: { max_attempts: attempts, delay }, text: `up to ${compared}`, compared };
}

function readyView({ kind, text }: Readiness): OptionView {
  const compared = `${kind} ${text}`;
  return {
    value: { [kind]: kind === 'port' && /^\d+$/.test(text) ? Number(text) : text },
    text: `ready: ${compared}`,
    compared,
  };
}

function durationView(duration: string): OptionView {
  return { value: duration, text: `at most ${duration}` };
}

function outputsView(outputs: readonly Output[]): OptionView {
  const value: Record<string, string> = Object.create(null);
  for (const [name, source] of outputs) value[name] = formatOutputSource(source);
  const texts = outputs.map(([name, source]) => `${name} from ${formatOutputSource(source)}`);
  return { value, text: `gives ${outputs.map(([name]) => name).join(', ')}`, compared: texts.join(', ') };
}

/** The options of a step that differ from their defaults, by field. */
export function stepOptions(options: StepOptions): OptionViews {
  return definedViews(stepViews(options));
}

/** The options of a group that differ from their defaults, by field. */
export function groupOptions(options: GroupOptions): OptionViews {
  return definedViews(groupViews(options));
}

function definedViews(views: Views<string>): OptionViews {
  return Object.entries(views).flatMap(([field, view]) => (view === undefined ? [] : [[field, view] as const]));
}

/** The options of a step as text, the outputs last. `describeOutputs` describes them, by default by their names. */
export function describeOptions(
  options: StepOptions,
  describeOutputs?: (outputs: readonly Output[]) => readonly string[],
): string[] {
  const { outputs, ...others } = stepViews(options);
  const texts = definedViews(others).map(([, { text }]) => text);
  return outputs === undefined ? texts : [...texts, ...(describeOutputs?.(options.outputs) ?? [outputs.text])];
}

/** The options of a group as text. */
export function describeGroup(options: GroupOptions): string[] {
  return groupOptions(options).map(([, { text }]) => text);
}

/** Options as in documents. */
export function optionValues(views: OptionViews): Readonly<Record<string, unknown>> {
  return Object.fromEntries(views.map(([field, { value }]) => [field, value]));
}

/** Options as comparisons show them. */
export function comparedOptions(views: OptionViews): Readonly<Record<string, string>> {
  return Object.fromEntries(views.map(([field, { value, compared = String(value) }]) => [field, compared]));
}

const AS_WRITTEN = { name: (text: string) => text, text: (text: string) => text };

/** The words for the options of a step in the background. `write` writes the texts of the file. */
export function describeBackground(
  plan: Plan,
  op: RunOp,
  write: Readonly<Record<'name' | 'text', (text: string) => string>> = AS_WRITTEN,
): string[] {
  const { background: _background, ready: _ready, ...others } = op.options;
  const ready = knownReadiness(plan, op);
  const start = describeScope(plan, op, write.name);
  if (ready === undefined) return [start, ...describeOptions(others)];
  const [limit = '', ...rest] = describeOptions({ ...others, timeout: others.timeout ?? READY_LIMIT });
  const test = describeReadiness({ ...ready, text: write.text(ready.text) });
  return [start, `ready when ${test}, ${limit}`, ...rest];
}
