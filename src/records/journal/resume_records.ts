import { isCheck } from '../../ir/ops.ts';
import { at, type Plan } from '../../ir/plan.ts';
import type { ResumeStates } from '../../ir/resume/resume_states.ts';
import { fingerprintChanges, type OpId, type Fingerprint } from '../../ir/steps/identity.ts';
import type { SessionRecord } from './record.ts';

/**
 * The lines recorded before the first command of a resumed run, so that resuming again repeats no question: steps kept
 * under another id or print, steps to run although later ones have finished, records that no longer count, and results of
 * edited conditions.
 */
export function resumeLines(plan: Plan, states: ResumeStates): string {
  const lastKept = [...states.steps].reduce((last, [index, { kind }]) => (kind === 'kept' ? index : last), -1);
  const steps = [...states.steps].flatMap(([index]) => stepRecord(plan, states, index, index < lastKept) ?? []);
  const dropped = [...droppedRecords(states), ...droppedDecisions(plan, states)];
  const decisions = [...states.conditions].flatMap(([index]) => decisionRecord(states, index) ?? []);
  return [...steps, ...dropped, ...decisions].map((record) => `${JSON.stringify(record)}\n`).join('');
}

function stepRecord(plan: Plan, states: ResumeStates, index: number, isBeforeKept: boolean): SessionRecord | undefined {
  const [state, record, op] = [states.steps.get(index), states.records.steps.get(index), at(plan.ops, index)];
  if (state === undefined || op.kind !== 'run') return undefined;
  const { id, print } = identityOf(states, index);
  const moved = { id, was: record?.id ?? id, name: op.name, print };
  if (state.kind === 'kept') {
    const isSame = !state.done && !state.edited && isSameId(moved.was, id);
    return isSame ? undefined : { kind: 'kept', ...moved, ...(state.done && { done: true }) };
  }
  const isWanted = state.kind === 'again' || state.kind === 'restored' || (state.kind === 'run' && isBeforeKept);
  return isWanted ? { kind: 'again', ...moved } : undefined;
}

/** The records that steps may have been matched to, once it is decided about all these steps. */
function droppedRecords({ steps, records }: ResumeStates): readonly SessionRecord[] {
  const isDecided = [...records.candidates.keys()].every((index) => {
    const kind = steps.get(index)?.kind;
    return kind === 'again' || kind === 'kept';
  });
  return isDecided ? records.undecided.map(({ id }) => ({ kind: 'dropped', id })) : [];
}

/** The decisions about conditions that are tested again. A check of a step that is still to run is made again anyway. */
function droppedDecisions({ ops }: Plan, { conditions, records }: ResumeStates): readonly SessionRecord[] {
  return [...conditions].flatMap(([index, { kind }]) => {
    const decision = records.decisions.get(index);
    const isDropped =
      kind === 'test' && decision !== undefined && !(decision.holds === true && isCheck(at(ops, index)));
    return isDropped ? { kind: 'dropped', id: decision.id } : [];
  });
}

function decisionRecord(states: ResumeStates, index: number): SessionRecord | undefined {
  const [state, decision] = [states.conditions.get(index), states.records.decisions.get(index)];
  if (state?.kind !== 'decided' || decision === undefined || decision.holds !== state.holds) return undefined;
  const { id, print } = identityOf(states, index);
  const outputs = decision.outputs === undefined ? {} : { outputs: decision.outputs };
  const isSame = isSameId(decision.id, id) && fingerprintChanges(decision.print, print).length === 0;
  return isSame ? undefined : { kind: 'decide', op: index, id, holds: state.holds, print, ...outputs };
}

function identityOf({ ids, prints }: ResumeStates, index: number): { id: OpId; print: Fingerprint } {
  const [id, print] = [ids.get(index), prints.get(index)];
  if (id === undefined || print === undefined) throw new Error(`op ${index} has no identity`);
  return { id, print };
}

function isSameId(one: OpId, other: OpId): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
