import { knownOps } from '../../../records/journal/known_ops.ts';
import { decideStates } from '../../../ir/resume/decide_states.ts';
import type { History } from '../../../ir/resume/history.ts';
import type { Refusal, ResumeStates } from '../../../ir/resume/resume_states.ts';
import { at, type Plan } from '../../../ir/plan.ts';
import { namePaths, resolveStep, type OpRange } from '../../../ir/steps/resolve_step.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { failure, type Result } from '../../../base/result.ts';
import type { SelectedPart } from './record_run.ts';

/** The first and last step of a part of a workflow, as named on the command line. */
export type PartNames = Readonly<{ from: string | null; until: string | null }>;

const NO_HISTORY: History = { steps: [], decisions: [], cleaned: new Set(), afterAll: null };

/** The part that the command line names; undefined if it names none. */
export function partNames({ from, until, only }: Options): Result<PartNames | undefined> {
  if (from === undefined && until === undefined)
    return { ok: true, value: only === undefined ? undefined : { from: only, until: only } };
  if (only === undefined) return { ok: true, value: { from: from ?? null, until: until ?? null } };
  return failure("flag '--only' cannot be used with '--from' or '--until'");
}

/** The op range of a part of a plan. */
export function resolvePart(plan: Plan, { from, until }: PartNames): Result<OpRange> {
  const [first, last] = [from, until].map((name) => (name === null ? wholePlan(plan) : findStep(plan, name)));
  const problems = [first, last].flatMap((each) => (each?.ok === false ? each.problems : []));
  if (first?.ok !== true || last?.ok !== true) return failure(...new Set(problems));
  const range = { start: first.value.start, end: last.value.end };
  if (range.start < range.end || from === until) return { ok: true, value: range };
  return failure(`step '${until}' comes before step '${from}'`);
}

function wholePlan(plan: Plan): Result<OpRange> {
  const { start, end } = at(plan.calls, 0);
  return { ok: true, value: { start, end } };
}

/** The ops of the step named by a text of the command line. */
export function findStep(plan: Plan, text: string): Result<OpRange> {
  const found = resolveStep(plan, text);
  if (found.kind === 'one') return { ok: true, value: found.range };
  const paths = found.paths.join(', ');
  const problem =
    found.kind === 'none'
      ? `workflow '${plan.workflow}' has no step '${text}'; steps: ${paths}`
      : `workflow '${plan.workflow}' has several steps '${text}': ${paths}`;
  return failure(problem);
}

/** Whether a range ends before the steps of the workflow do, which also leaves out `after_all`. */
export function leavesOutEnd(plan: Plan, { end }: OpRange): boolean {
  let last = at(plan.calls, 0).end;
  while (['hook', 'stop'].includes(plan.ops[last - 1]?.kind ?? '')) last -= 1;
  return end < last;
}

/** Whether every step is selected or has finished in an earlier session. */
export function isWhole({ steps }: ResumeStates): boolean {
  return [...steps.values()].every((state) => state.kind !== 'not selected' || state.finished !== null);
}

/** The part of a new run that the command line selects; undefined for the whole workflow. */
export function selectPart(plan: Plan, options: Options): Result<SelectedPart | undefined> {
  const names = partNames(options);
  if (!names.ok || names.value === undefined) return names.ok ? { ok: true, value: undefined } : names;
  const range = resolvePart(plan, names.value);
  if (!range.ok) return range;
  const matched = decideStates(plan, NO_HISTORY, {
    changed: 'ask',
    unrecorded: 'ask',
    onCrash: () => 'ask',
    done: new Set(),
    rerun: new Set(),
    selected: { ...range.value, again: false },
  });
  if (matched.refusals.length > 0) return { ok: false, problems: describeRefusals(plan, matched.refusals) };
  const known = knownOps(plan, matched, NO_HISTORY, leavesOutEnd(plan, range.value));
  return { ok: true, value: { known, whole: isWhole(matched), ...names.value } };
}

/** Error messages for requests that cannot be met. */
export function describeRefusals(plan: Plan, refusals: readonly Refusal[]): readonly string[] {
  const paths = namePaths(plan);
  const pathOf = (op: number): string => `step '${paths.get(op) ?? op}'`;
  return refusals.map((refusal) => {
    switch (refusal.kind) {
      case 'starts by itself':
        return `${pathOf(refusal.op)} runs in the background and starts by itself when a later step runs: leave it out`;
      case 'not in doubt':
        return `--done: ${pathOf(refusal.op)} neither failed nor was running when the run ended`;
      case 'done but read':
        return `--done: a later step reads the outputs of ${pathOf(refusal.op)}`;
      case 'rerun but left out':
        return `--rerun: ${pathOf(refusal.op)} is outside of the part that runs; to begin with it, add --from`;
      case 'left out but read':
        return `${pathOf(refusal.op)} reads an output of ${pathOf(refusal.from)}, which is left out`;
    }
  });
}
