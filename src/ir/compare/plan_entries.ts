import { isUnnamed } from '../../base/generated_name.ts';
import { settingsOf } from '../environment.ts';
import { MASK, secretNames, type Secrecy } from '../secret_names.ts';
import { at, hookName, type ConditionOp, type Plan, type RunOp } from '../plan.ts';
import { identify } from '../steps/identity.ts';
import { NAMES, stepPaths, type PathEntry } from '../steps/step_paths.ts';
import { callFields, conditionFields, fieldsOf, groupFields, hookFields, runFields } from './plan_fields.ts';
import type { ComparedValue } from './plan_fields.ts';

/** A variable of a step and its source. */
export type ComparedVariable = ComparedValue & Readonly<{ source: string }>;

/**
 * A command, call, group or hook of a plan, for comparisons. `key` and `parent` are identities that stay the same when
 * other steps are edited. `path` contains the names. A generated name is null. `frame` contains the variables; null for
 * calls and groups.
 */
export type PlanEntry = Readonly<{
  kind: 'step' | 'call' | 'group' | 'hook';
  index: number;
  key: string;
  parent: string | null;
  path: string;
  name: string | null;
  command: string | null;
  fields: ReadonlyMap<string, ComparedValue>;
  frame: number | null;
}>;

/** All entries of a plan in order, and a function for the variables of a frame. */
export type PlanEntries = Readonly<{
  entries: readonly PlanEntry[];
  variablesOf: (frame: number) => ReadonlyMap<string, ComparedVariable>;
}>;

/** Lists the entries of a plan. The first is the requested workflow, as a call without a caller. */
export function planEntries(plan: Plan): PlanEntries {
  const isSecret = secretNames(plan);
  const names = stepPaths(plan, NAMES);
  const root: PlanEntry = {
    kind: 'call',
    index: 0,
    key: keyOf([]),
    parent: null,
    path: '',
    name: plan.workflow,
    command: null,
    frame: null,
    fields: fieldsOf(callFields(plan, at(plan.calls, 0), isSecret)),
  };
  const entries = [root];
  let conditions: ConditionOp[] = [];
  for (const entry of identify(plan)) {
    const { value: named } = names.next();
    const op = entry.kind === 'condition' ? at(plan.ops, entry.index) : undefined;
    if (op?.kind === 'condition') conditions.push(op);
    else {
      entries.push(entryOf(plan, entry, (named?.path ?? []).join('/'), conditions, isSecret));
      conditions = [];
    }
  }
  const settings = settingsOf(plan);
  const variables = new Map<number, ReadonlyMap<string, ComparedVariable>>();
  const variablesOf = (frame: number): ReadonlyMap<string, ComparedVariable> => {
    const known = variables.get(frame);
    if (known !== undefined) return known;
    const made = new Map(
      [...settings(frame)].map(([name, { value, source }]) => {
        return [name, { text: value, shown: isSecret(name) ? MASK : value, source }] as const;
      }),
    );
    variables.set(frame, made);
    return made;
  };
  return { entries, variablesOf };
}

function entryOf(
  plan: Plan,
  { kind, index, path: id }: PathEntry,
  path: string,
  conditions: readonly ConditionOp[],
  isSecret: Secrecy,
): PlanEntry {
  const place = { index, key: keyOf(id), parent: keyOf(id.slice(0, -1)), path };
  const tested = conditionFields(conditions);
  if (kind === 'call') {
    const call = at(plan.calls, index);
    const name = call.from === null ? null : ownName(call.from);
    const fields = fieldsOf({ ...tested, ...callFields(plan, call, isSecret) });
    return { ...place, kind: 'call', name, command: null, fields, frame: null };
  }
  const op = at(plan.ops, index);
  switch (op.kind) {
    case 'run': {
      const fields = fieldsOf({ ...runFields(plan, op), ...tested });
      return { ...place, kind: 'step', name: ownName(op), command: op.command, fields, frame: op.frame };
    }
    case 'parallel': {
      const fields = fieldsOf({ ...groupFields(op), ...tested });
      return { ...place, kind: 'group', name: ownName(op), command: null, fields, frame: null };
    }
    case 'hook': {
      const { command } = op;
      return {
        ...place,
        kind: 'hook',
        path: op.call === undefined ? op.hook : [...path.split('/').slice(0, -1), hookName(plan, op)].join('/'),
        name: op.hook,
        command,
        fields: fieldsOf(hookFields(plan, op)),
        frame: op.frame,
      };
    }
    case 'condition':
    case 'stop':
      throw new Error('a condition or stop belongs to the entries of its steps');
  }
}

export function keyOf(id: readonly string[]): string {
  return JSON.stringify(id);
}

function ownName(step: Readonly<{ name: string; step: RunOp['step'] }>): string | null {
  return isUnnamed(step) ? null : step.name;
}
