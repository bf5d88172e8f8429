import { foldHistory } from '../../../records/journal/fold_history.ts';
import { type RecordedRun, runState } from '../../../records/journal/journal.ts';
import { knownOps } from '../../../records/journal/known_ops.ts';
import { decideStates } from '../../../ir/resume/decide_states.ts';
import type { ResumeChoices, ResumeStates } from '../../../ir/resume/resume_states.ts';
import { at, type Plan } from '../../../ir/plan.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { Result } from '../../../base/result.ts';
import type { SelectedPart } from './record_run.ts';
import { describeRefusals, findStep, isWhole, leavesOutEnd, partNames, resolvePart } from './select_part.ts';
import type { PartNames } from './select_part.ts';

/** The user's answers about steps whose end is unknown: finished, or to run again. */
export type Answers = Pick<ResumeChoices, 'done' | 'rerun'>;

const NO_ANSWERS: Answers = { done: new Set(), rerun: new Set() };

/** Matches the record of a run to its plan, with the choices of the command line. */
export function matchRun(
  plan: Plan,
  run: RecordedRun,
  options: Options,
  answers: Answers = NO_ANSWERS,
): Result<Readonly<{ states: ResumeStates; part: SelectedPart }>> {
  const history = foldHistory(run.sessions);
  const given = partNames(options);
  const names = given.ok ? (given.value ?? inheritedPart(plan, run)) : WHOLE;
  const isSelected = names.from !== null || names.until !== null;
  const range = resolvePart(plan, names);
  const [done, rerun] = [stepsOf(plan, options.done), stepsOf(plan, options.rerun)];
  const problems = [given, range, done, rerun].flatMap((each) => (each.ok ? [] : each.problems));
  if (!range.ok || !done.ok || !rerun.ok || problems.length > 0) return { ok: false, problems };
  const again = given.ok && given.value !== undefined && given.value.from !== null;
  const states = decideStates(plan, history, {
    changed: options.changed ?? 'ask',
    unrecorded: 'ask',
    onCrash: (op) => options.onCrash ?? op.options.onCrash,
    done: new Set([...done.value, ...answers.done]),
    rerun: new Set([...rerun.value, ...answers.rerun]),
    selected: isSelected ? { ...range.value, again } : null,
  });
  if (states.refusals.length > 0) return { ok: false, problems: describeRefusals(plan, states.refusals) };
  const known = knownOps(plan, states, history, isSelected && leavesOutEnd(plan, range.value));
  return { ok: true, value: { states, part: { known, whole: isWhole(states), ...names } } };
}

const WHOLE: PartNames = { from: null, until: null };

/**
 * The part that a resumed run inherits from its last session. A run that has stopped at the end of its part continues
 * after it. At the end of the workflow, only the steps before the part remain.
 */
function inheritedPart(plan: Plan, run: RecordedRun): PartNames {
  const { from, until } = run.sessions.at(-1)?.header ?? WHOLE;
  if (runState(run) !== 'stopped') return { from, until };
  const range = resolvePart(plan, { from, until });
  return range.ok && !leavesOutEnd(plan, range.value) ? WHOLE : { from, until: null };
}

/** The commands of the steps with some names. */
function stepsOf(plan: Plan, names: readonly string[]): Result<ReadonlySet<number>> {
  const found = names.map((text) => findStep(plan, text));
  const problems = found.flatMap((each) => (each.ok ? [] : each.problems));
  if (problems.length > 0) return { ok: false, problems };
  const ranges = found.flatMap((each) => (each.ok ? each.value : []));
  const ops = ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index));
  return { ok: true, value: new Set(ops.filter((op) => at(plan.ops, op).kind === 'run')) };
}
