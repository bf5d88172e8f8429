import type { Plan } from '../../ir/plan.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { prepare } from '../driver/prepare_run.ts';
import { print, printDocument } from '../output/document.ts';
import { EXIT, printStderr, refuse, type Io } from '../output/io.ts';
import { printMessages } from '../output/messages/print_messages.ts';
import { outputLines, type Rules } from '../output/paint.ts';
import { STORE_OUTPUT } from './run/store_output.ts';
import { copyField, describeOp } from '../../ir/steps/describe_op.ts';
import { checkStates, stateText, type CheckState } from '../run_data/check_states.ts';

/** The colours of the states. */
const STATUS_RULES: Rules = [
  [/: up to date$/, 'faint'],
  [/(?<=': )runs(?=: )/, 'bold'],
];

/** `status` is about files, but its name may suggest the state of a run. */
const SEE_RUNS = 'to see the recorded runs: cli runs';

/** The number of reasons in a document. */
const REASONS = 100;

/** `workflow status`: prints which steps are up to date, and why the others run. */
export async function status(io: Io, options: Options): Promise<number> {
  const prepared = await printMessages(io, options, prepare(io, options, 'run'));
  if (prepared === undefined) {
    if (options.words.length === 0) printStderr(io, [SEE_RUNS], 'cli: ');
    return EXIT.cannotStart;
  }
  const { plan } = prepared;
  const { workflow } = plan;
  const states = distinct(
    plan,
    await checkStates(io, prepared, options, (line) => printStderr(io, [line], 'cli: warning: ')),
  );
  if (states.length === 0)
    return refuse(io, [`no step of workflow '${workflow}' has 'sources'`, SEE_RUNS, STORE_OUTPUT]);
  const isUpToDate = states.every(({ state }) => state === 'up to date');
  const exit = isUpToDate ? EXIT.ok : EXIT.no;
  if (options.format === 'text') {
    const lines = states.map((state) => lineOf(plan, state));
    return print(io, outputLines(io, lines, STATUS_RULES), exit);
  }
  const runs = states.some(({ state }) => state === 'runs');
  const checks = states.map(({ op, workflow: owner, state, reasons }) => {
    const shown = { state, reasons: reasons.length === 0 ? undefined : reasons.slice(0, REASONS) };
    return Object.assign({ workflow: owner, name: op.name }, copyField(plan, op.call), shown);
  });
  return printDocument(io, { workflow, up_to_date: runs ? false : isUpToDate || null, checks }, options, exit);
}

function lineOf(plan: Plan, state: CheckState): string {
  return `${describeOp(plan, state.op)}: ${stateText(state)}`;
}

/** The states without repetitions: a step may be called from several places. */
function distinct(plan: Plan, states: readonly CheckState[]): readonly CheckState[] {
  return [...new Map(states.map((state) => [JSON.stringify([lineOf(plan, state), state.op.command]), state])).values()];
}
