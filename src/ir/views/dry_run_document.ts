import { isUnnamed } from '../../base/generated_name.ts';
import { settingsOf, type Setting } from '../environment.ts';
import { maskValue, secretNames, secretsOf, type Secrecy } from '../secret_names.ts';
import { conditionParts, isCheck, locksOf, stoppedSteps } from '../ops.ts';
import { at, isWorkflowHook, type HookOp, type ParallelOp, type Plan, type RunOp, type StaleTest } from '../plan.ts';
import { createHookEntries, type HookEntry } from './hook_entries.ts';
import { groupOptions, optionValues, stepOptions, type GroupField, type OptionField } from './step_options.ts';

type Hooks = Partial<Record<HookOp['hook'], (Readonly<{ command: string }> & SecretsField) | undefined>>;

/** The secrets that a command lists. */
type SecretsField = Readonly<{ secrets: readonly string[] | undefined }>;

/** The document of a dry run. Its steps are created one at a time, because together they can be large. */
export type DryRunDocument = Hooks &
  Readonly<{
    workflow: string;
    dry_run: true;
    locks: readonly string[] | undefined;
    steps: Iterable<DryRunStep | DryRunGroup | DryRunStop>;
  }> &
  Readonly<{ hooks: readonly DryRunHook[] | undefined }>;

/** A hook of a workflow. */
type DryRunHook = HookEntry & SecretsField & Readonly<{ left_out: true | undefined }>;

type Env = Readonly<Record<string, string>>;

/**
 * `if` has every condition that guards the step, outermost first, as a list if there are several. `env` has the
 * settings of the file and the parameters, with secrets masked.
 */
export type DryRunStep = Readonly<{ name: string; command: string }> & Partial<StepDetails>;

type StepDetails = Readonly<{
  if: string | readonly string[] | undefined;
  env: Env | undefined;
  dir: string | undefined;
  left_out: true | undefined;
}> &
  SecretsField &
  Partial<Record<OptionField | 'output', unknown>> &
  CheckFields;

/** The patterns of a step as written. `once`: an equal call of a workflow around the step may have run before.
 * `since` is the decision of a run with `--since`. */
type CheckFields = Readonly<{
  sources: readonly string[] | undefined;
  generates: readonly string[] | undefined;
  once: true | undefined;
  since: Readonly<{ revision: string; runs: boolean; reason: string | null }> | undefined;
}>;

/** The end of steps in the background, by their names. */
export type DryRunStop = Readonly<{ stop: readonly string[] }>;

/** A group of steps. A member that calls several steps lists them in `steps`. */
export type DryRunGroup = Readonly<{ parallel: readonly DryRunMember[]; name: string | undefined }> &
  Partial<Record<GroupField, unknown>>;
export type DryRunMember =
  | DryRunStep
  | DryRunGroup
  | DryRunStop
  | Readonly<{ name: string; steps: readonly (DryRunStep | DryRunGroup | DryRunStop)[] }>;

/** The document of a dry run of a plan. Evaluates no condition. `decided` has the decisions of a run with `--since`. */
export function dryRunDocument(
  plan: Plan,
  isLeftOut: (op: number) => boolean = () => false,
  decided = plan,
): DryRunDocument {
  const hook = (name: HookOp['hook']): Hooks[HookOp['hook']] => {
    const op = plan.ops.find((each) => each.kind === 'hook' && each.call === undefined && each.hook === name);
    return op?.kind === 'hook' ? { command: op.command, ...secretsField(plan, op) } : undefined;
  };
  const [before_all, after_all, error] = [hook('before_all'), hook('after_all'), hook('error')];
  const steps = stepEntries(plan, isLeftOut, decided);
  const end = { after_all, error, finally: hook('finally'), hooks: hookEntries(plan, isLeftOut) };
  const locks = locksOf(plan);
  return {
    workflow: plan.workflow,
    dry_run: true,
    locks: locks.length === 0 ? undefined : locks,
    before_all,
    steps,
    ...end,
  };
}

function hookEntries(plan: Plan, isLeftOut: (op: number) => boolean): readonly DryRunHook[] | undefined {
  if (!plan.ops.some(isWorkflowHook)) return undefined;
  const entryOf = createHookEntries(plan);
  return plan.ops.flatMap((op, index) =>
    isWorkflowHook(op) ? entryOf(op, { ...secretsField(plan, op), left_out: isLeftOut(index) || undefined }) : [],
  );
}

/** The entries of a plan's steps, made in the order of the ops: see `settingsOf`. */
function stepEntries(plan: Plan, isLeftOut: (op: number) => boolean, decided: Plan): DryRunDocument['steps'] {
  /** The conditions around the next step, without a text for calls that run once. */
  const guards: { readonly text: string | null; readonly end: number }[] = [];
  /** The check of the next step. */
  let check: StaleTest | null = null;
  let env: { readonly frame: number; readonly env: Env | undefined } = { frame: -1, env: undefined };
  /** The details of the last step. Most steps of large plans have the same ones. */
  let last: { readonly op: RunOp; readonly isLeftOut: boolean; readonly details: Partial<StepDetails> } | undefined;

  const isSecret = secretNames(plan);
  const settings = settingsOf(plan);

  /** The entries of the ops from `start` up to `end`, which is not one of them. */
  function* range(start: number, end: number): Generator<DryRunStep | DryRunGroup | DryRunStop> {
    for (let index = start; index < end; index += 1) {
      const op = at(plan.ops, index);
      while (guards.length > 0 && at(guards, guards.length - 1).end <= index) {
        guards.pop();
        last = undefined;
      }
      if (op.kind === 'condition') {
        const linked = at(decided.ops, index);
        if (op.test.kind === 'stale')
          check =
            linked.kind === 'condition' && linked.test.kind === 'stale' && linked.test.since
              ? { ...op.test, since: linked.test.since }
              : op.test;
        else guards.push({ text: isCheck(op) ? null : conditionParts(op.test).text, end: op.target });
        last = undefined;
      } else if (op.kind === 'run') {
        yield stepEntry(op, isLeftOut(index));
        if (check !== null) last = undefined;
        check = null;
      } else if (op.kind === 'stop') {
        yield { stop: stoppedSteps(plan, op).map(({ name }) => name) };
      } else if (op.kind === 'parallel') {
        yield groupEntry(op);
        index = op.end.op - 1;
      }
    }
  }

  function stepEntry(op: RunOp, isLeftOut: boolean): DryRunStep {
    const before = last;
    const isAlike = before?.isLeftOut === isLeftOut && haveSameDetails(before.op, op);
    const details = isAlike ? before.details : definedFields(detailsOf(op, isLeftOut));
    if (!isAlike) last = { op, isLeftOut, details };
    return { name: op.name, command: op.command, ...details };
  }

  function detailsOf(op: RunOp, isLeftOut: boolean): StepDetails {
    const { dir, frame, options } = op;
    if (env.frame !== frame) env = { frame, env: maskedSettings(settings(frame), isSecret) };
    const tests = guards.flatMap(({ text }) => text ?? []);
    const test = tests.length > 1 ? tests : tests[0];
    const place = { if: test, env: env.env, dir: dir ?? undefined, ...secretsField(plan, op) };
    return { ...place, ...optionValues(stepOptions(options)), left_out: isLeftOut || undefined, ...checkFields() };
  }

  function checkFields(): CheckFields {
    const generates = textsOf(check?.generates);
    const since = check?.since;
    return {
      sources: check === null ? undefined : textsOf(check.sources),
      generates: generates.length === 0 ? undefined : generates,
      once: guards.some(({ text }) => text === null) || undefined,
      since: since && { revision: since.revision, runs: since.reason !== null, reason: since.reason },
    };
  }

  function groupEntry({ name, step, branches, group }: ParallelOp): DryRunGroup {
    const parallel = branches.map(({ name: member, start, end }) => {
      const steps = [...range(start.op, end.op)];
      const [only, ...others] = steps;
      return only !== undefined && others.length === 0 ? only : { name: member, steps };
    });
    return { parallel, name: isUnnamed({ name, step }) ? undefined : name, ...optionValues(groupOptions(group)) };
  }

  return range(0, plan.ops.length);
}

function textsOf(patterns: StaleTest['sources'] = []): readonly string[] {
  return patterns.map(({ text }) => text);
}

function haveSameDetails(one: RunOp, other: RunOp): boolean {
  return (
    one.frame === other.frame && one.dir === other.dir && one.options === other.options && one.secrets === other.secrets
  );
}

function secretsField(plan: Plan, op: RunOp | HookOp): SecretsField {
  return { secrets: op.secrets === undefined ? undefined : secretsOf(plan, op) };
}

/** The fields that have a value. JSON is written faster without the others. */
function definedFields<Fields extends object>(fields: Fields): Partial<Fields> {
  const defined: Partial<Fields> = { ...fields };
  for (const field in defined) if (defined[field] === undefined) delete defined[field];
  return { ...defined };
}

/** Without a prototype, so that `__proto__` is an ordinary name. */
function maskedSettings(settings: ReadonlyMap<string, Setting>, isSecret: Secrecy): Env | undefined {
  const env: Record<string, string> = Object.create(null);
  for (const [name, { value }] of settings) env[name] = maskValue(isSecret, name, value);
  return settings.size === 0 ? undefined : env;
}
