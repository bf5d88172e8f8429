import { EXIT_CODE } from '../../base/exit_code.ts';
import type * as v from 'valibot';
import type { SourceText } from '../ast.ts';
import { DEFAULT_OPTIONS, OPTION_FIELDS, ReadyFields, RetryFields } from '../schema/option_fields.ts';
import type { Output, Readiness, Retry, StepOptions, OptionFields } from '../schema/option_fields.ts';
import { type Owner, redactKey } from '../diagnostics/diagnostic.ts';
import { durationOf } from '../schema/duration.ts';
import { Path, type EveryField } from '../schema/schema.ts';
import type { StepFields } from '../schema/step_fields.ts';
import type { JsonNode, Member } from '../syntax/json_tree.ts';
import { rangeOf } from '../syntax/source_range.ts';
import type { Members } from './shape_checker.ts';
import type { TextChecker } from './text_checker.ts';

/** The kinds of `ready`. */
const READY_KINDS = ['port', 'url', 'output', 'run'] as const;

/** The test in a field `ready`. */
type ReadyText = Readonly<{ kind: Readiness['kind']; source: SourceText }>;

/** The delay between attempts. */
const DEFAULT_DELAY = '1s';

/** The question of a step. `true` asks about its name, or the first line of its command. */
function questionOf(values: v.InferOutput<typeof StepFields> | undefined): string | null {
  const { confirm = false, name, run } = values ?? {};
  if (typeof confirm === 'string') return confirm;
  const script = typeof run === 'object' ? run.items : [];
  const lines =
    typeof run === 'string' ? run.split('\n') : script.map((line) => (line.kind === 'string' ? line.value : ''));
  const first = lines.map((line) => line.trim()).find((line) => line !== '') ?? '';
  return confirm ? `Run '${name ?? first}'?` : null;
}

/** The options of a step. `values` is undefined if any of the step's fields is invalid. */
export function optionsOf(
  texts: TextChecker,
  members: Members,
  values: v.InferOutput<typeof StepFields> | undefined,
  owner: Owner,
  ready: ReadyText | undefined,
): StepOptions {
  if (!OPTION_FIELDS.some((field) => members.has(field))) return DEFAULT_OPTIONS;
  const timeout = values?.timeout;
  const fields: EveryField<typeof OptionFields, StepOptions> = {
    outputs: outputsOf(texts, members.get('outputs'), owner, values?.allow_failure === true),
    retry: retryOf(texts, members.get('retry')?.value, owner),
    timeout: timeout === undefined ? null : durationOf(timeout),
    allow_failure: values?.allow_failure ?? false,
    on_crash: values?.on_crash ?? 'ask',
    on_resume: values?.on_resume,
    confirm: questionOf(values),
    background: values?.background === true ? (values.output ?? 'lines') : undefined,
    ready: ready && { kind: ready.kind, text: ready.source.text },
  };
  const { allow_failure: allowFailure, on_crash: onCrash, on_resume: onResume, ...others } = fields;
  const { background, ready: test, ...plain } = others;
  const behind = background !== undefined && { background, ...(test && { ready: test }) };
  return { allowFailure, onCrash, ...(onResume !== undefined && { onResume }), ...plain, ...behind };
}

/** The test in the field `ready`; undefined if it is absent or invalid. */
export function readinessOf(texts: TextChecker, field: Member | undefined, owner: Owner): ReadyText | undefined {
  if (field?.value.kind !== 'object') return undefined;
  const { members, values } = texts.shapes.checkFields(field.value, ReadyFields, owner, 'ready.');
  const [first, ...others] = READY_KINDS.filter((kind) => members.has(kind));
  const node = first && members.get(first)?.value;
  if (first === undefined || others.length > 0) {
    const needs = first === undefined ? 'one kind of ready' : 'no other kind of ready';
    texts.shapes.failMisplaced('ready', needs, owner, field.range);
  }
  if (values === undefined || first === undefined || node === undefined || others.length > 0) return undefined;
  const text = String(values[first]);
  const shown = `ready.${first}`;
  const range = rangeOf(node);
  const isCommand = first === 'run';
  const source = isCommand ? texts.commandText(text, range, shown, owner) : texts.valueText(text, range, shown, owner);
  return { kind: first, source };
}

function retryOf(texts: TextChecker, node: JsonNode | undefined, owner: Owner): Retry | null {
  if (node?.kind === 'number') return { maxAttempts: node.value, delay: durationOf(DEFAULT_DELAY) };
  if (node?.kind !== 'object') return null;
  const { values } = texts.shapes.checkFields(node, RetryFields, owner, 'retry.');
  if (values === undefined) return null;
  return { maxAttempts: values.max_attempts, delay: durationOf(values.delay ?? DEFAULT_DELAY) };
}

function outputsOf(texts: TextChecker, field: Member | undefined, owner: Owner, mayFail: boolean): readonly Output[] {
  if (field?.value.kind !== 'object') return DEFAULT_OPTIONS.outputs;
  return [...texts.shapes.uniqueMembers(field.value, owner)].flatMap((member) => {
    if (mayFail && member.key === EXIT_CODE) texts.shapes.failKey(member, 'no exit code', 'outputs', owner);
    return member.key.startsWith('x-') ? [] : outputOf(texts, member, owner);
  });
}

/** The output; empty if it is invalid. */
function outputOf(texts: TextChecker, member: Member, owner: Owner): Output[] {
  const { key, value } = member;
  const field = `outputs.${redactKey(key)}`;
  const isNamed = texts.shapes.checkVariableName(member, 'outputs', owner);
  if (!texts.shapes.checkValue(value, Path, field, owner) || value.kind !== 'string') return [];
  const source = texts.outputSource(value.value, rangeOf(value), field, owner);
  return isNamed && source !== undefined ? [[key, source]] : [];
}
