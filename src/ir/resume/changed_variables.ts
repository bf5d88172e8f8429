import { settingsOf } from '../environment.ts';
import { secretNames } from '../secret_names.ts';
import type { Plan, RunOp } from '../plan.ts';
import { digest } from '../steps/digest.ts';
import type { Fingerprint } from '../steps/identity.ts';
import type { RecordedScope, RecordedStep } from './history.ts';

/**
 * Returns a function for the variables that had another value when a recorded step ran, or no value. It leaves out
 * secret variables, variables of the process environment, and the variables of a print, whose changes count as edits. It
 * is fastest if called in the order of the plan: see `settingsOf`.
 */
export function createChangedVariables(
  plan: Plan,
): (record: RecordedStep, op: RunOp, print: Fingerprint) => readonly string[] {
  const settings = settingsOf(plan);
  const isSecretName = secretNames(plan);
  /** The changes of each pair of a recorded scope and a frame. Most steps share both. */
  const known = new Map<RecordedScope, Map<number, readonly string[]>>();
  const changesOf = (scope: RecordedScope, frame: number): readonly string[] => {
    const before = flatten(scope);
    const after = new Map([...settings(frame)].map(([name, { value }]) => [name, digest(value)] as const));
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names].filter((name) => before.get(name) !== after.get(name) && !isSecretName(name));
  };
  return ({ scope, print: recorded }, { frame }, print) => {
    if (scope === null) return [];
    const frames = known.get(scope) ?? new Map<number, readonly string[]>();
    known.set(scope, frames);
    const changes = frames.get(frame) ?? changesOf(scope, frame);
    frames.set(frame, changes);
    if (changes.length === 0) return changes;
    const compared = new Set([...recorded.vars, ...print.vars].map(([name]) => name));
    return changes.filter((name) => !compared.has(name));
  };
}

/** The digest of each variable as seen from a scope: inner scopes override outer ones. */
function flatten(scope: RecordedScope): ReadonlyMap<string, string> {
  const scopes: RecordedScope[] = [];
  for (let each: RecordedScope | null = scope; each !== null; each = each.outer) scopes.push(each);
  return new Map(scopes.toReversed().flatMap(({ vars }) => vars));
}
