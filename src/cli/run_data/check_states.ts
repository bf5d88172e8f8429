import { checkedStep, PlanChecks } from '../../backend/checks/plan_checks.ts';
import { Requests } from '../../backend/command_requests.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import type { Prepared } from '../driver/prepare_run.ts';
import { withCallerDirectory } from '../driver/variables/caller_directory.ts';
import { settingsOf } from '../../ir/environment.ts';
import { at, type Plan, type RunOp } from '../../ir/plan.ts';
import { secretNames } from '../../ir/secret_names.ts';
import type { Io } from '../output/io.ts';
import { reasonText, FileRecords, type RecordedChecks } from '../../records/up_to_date/file_records.ts';
import { generatedSources } from '../../records/up_to_date/generated_sources.ts';
import type { RunSettings } from '../../backend/run_settings.ts';

/** The state of the check of a step, by the index of the step's op. `unknown`: it is decided when the run reaches it. */
export type CheckState = Readonly<{ op: RunOp; index: number; workflow: string; reasons: readonly string[] }> &
  Readonly<{ state: 'up to date' | 'runs' | 'unknown' }>;

/** The states of the checks of a linked plan, in order. Starts and writes nothing. `warn` receives warnings. */
export async function checkStates(
  io: Pick<Io, 'env'>,
  prepared: Pick<Prepared, 'plan' | 'path'>,
  options: Options,
  warn: (line: string) => void,
  isLeftOut: (op: number) => boolean = () => false,
): Promise<readonly CheckState[]> {
  const plan = withCallerDirectory(prepared.plan, io.env);
  const inherited = Object.entries(io.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const requests = new Requests(plan, new Map(inherited));
  const files = fileRecords(io, prepared, options, { say: () => undefined, warn });
  const [isSecret, usesOutput] = [secretNames(plan), outputUses(plan)];
  const states: CheckState[] = [];
  /** The steps that run, or may, and make files. */
  const makers: { readonly name: string; readonly step: ReturnType<typeof checkedStep> }[] = [];
  for (const [index, condition] of plan.ops.entries()) {
    const op = plan.ops[index + 1];
    if (condition.kind !== 'condition' || condition.test.kind !== 'stale' || op?.kind !== 'run') continue;
    if (isLeftOut(index + 1)) continue;
    const step = checkedStep(condition.test, op, requests, isSecret);
    const [found, { workflow }] = [await files.reasons(step), at(plan.calls, op.call)];
    const made: { readonly name: string; readonly paths: readonly string[] }[] = [];
    for (const maker of makers) made.push({ name: maker.name, paths: await generatedSources(maker.step, step) });
    const maker = made.find(({ paths }) => paths.length > 0);
    const paths = made.flatMap((each) => each.paths);
    const isOpen = (reason: string): boolean =>
      paths.some((path) => reason.startsWith(`${path} `)) || reason.endsWith(' matches nothing');
    const sure = maker === undefined ? found : found.filter((reason) => !isOpen(reason));
    const why = usesOutput(op)
      ? 'it uses an output of an earlier step'
      : maker && `step '${maker.name}' generates one of its sources`;
    const known = { op, index: index + 1, workflow };
    if (why !== undefined && (usesOutput(op) || sure.length === 0))
      states.push({ ...known, state: 'unknown', reasons: [why] });
    else if (found.length === 0) states.push({ ...known, state: 'up to date', reasons: [] });
    else states.push({ ...known, state: 'runs', reasons: found });
    if (states.at(-1)?.state !== 'up to date' && step.generates.length > 0) makers.push({ name: op.name, step });
  }
  return states;
}

/** The states for the outline of a dry run. */
export async function outlineStates(...given: Parameters<typeof checkStates>): Promise<ReadonlyMap<number, string>> {
  const states = await checkStates(...given);
  return new Map(states.map((each) => [each.index, stateText(each, 'decided when reached')]));
}

export function stateText({ state, reasons }: CheckState, unknown = 'unknown'): string {
  if (state === 'up to date') return state;
  return `${state === 'unknown' ? unknown : state}: ${reasonText(reasons)}`;
}

/** A function for whether a step uses an output of an earlier one. */
function outputUses(plan: Plan): (op: RunOp) => boolean {
  const settings = settingsOf(plan);
  return ({ reads, frame }) =>
    reads.some(({ from }) => from !== null) || [...settings(frame).values()].some(({ isOpen }) => isOpen === true);
}

/** The checks of a run: of the files of its steps, and of the workflows that run once. */
export function openChecks(...given: Parameters<typeof fileRecords>): RunSettings['checks'] {
  const files = fileRecords(...given);
  return (parts) => new PlanChecks(parts, files);
}

/** The records of the files of a plan's steps, with the receivers of lines and warnings. */
function fileRecords(
  { env }: Pick<Io, 'env'>,
  { plan, path }: Pick<Prepared, 'plan' | 'path'>,
  { args, force, since }: Options,
  { say, warn }: Pick<RecordedChecks, 'say' | 'warn'>,
): FileRecords {
  return new FileRecords({ plan, file: path, args, env, force: force || since !== undefined, say, warn });
}
