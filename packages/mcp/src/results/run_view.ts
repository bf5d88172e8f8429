import { isBad, LAST_LINES, RESUMABLE, escapeHidden, withoutSequences } from '../../../../src/internal.ts';
import type { RecordedOp, RecordedRuns, RunDocument } from '../../../../src/internal.ts';
import type { Content } from './tool_result.ts';
import { jsonBytes, longestStart } from './size.ts';

/** The maximum length of a line, in characters, and the size of all lines as JSON, in bytes. */
const [MAX_LINE, MAX_SIZE] = [2000, 16_384];

/**
 * The last lines of a text that a command printed, as plain text: without escape sequences, and with escapes for all
 * other characters that change or hide text. `isCut`: the beginning of the first line is missing.
 */
function cleanOutput(text: string, isCut: boolean, count: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const from = Math.max(0, lines.length - count);
  const kept: string[] = [];
  let size = 0;
  for (let index = lines.length - 1; index >= from; index -= 1) {
    const plain = escapeHidden(withoutSequences((lines[index] ?? '').replace(/\r$/, '')));
    const line = longestStart(index === 0 && isCut ? `…${plain}` : plain, (start) => start.length <= MAX_LINE);
    size += jsonBytes(line);
    if (size > MAX_SIZE) break;
    kept.unshift(line);
  }
  return kept.join('\n');
}

/** The part of the output to show: the last lines, of the current step unless another one is named. */
export type Excerpt = Readonly<{ step?: string; lines?: number }>;

/** A run as an agent sees it. Undefined if it has no step with the name. */
export function runView(
  runs: RecordedRuns,
  { id, workflow, state, ops }: RunDocument,
  { step, lines = LAST_LINES }: Excerpt,
): Content | undefined {
  const shown = step === undefined ? currentOp(ops, state) : ops.find(({ path, name }) => [path, name].includes(step));
  if (step !== undefined && shown === undefined) return undefined;
  const code = shown?.exit_code ?? null;
  const background = ops.filter(({ ready_ms, commands }) => ready_ms !== undefined && commands.length > 0);
  const output = shown === undefined ? undefined : outputOf(runs, id, shown, lines);
  return {
    run: id,
    workflow,
    state,
    done: endedCommands(ops),
    ...(shown !== undefined && { step: shown.path }),
    ...(code !== null && { exit_code: code }),
    ...(output !== undefined && { output }),
    ...(background.length > 0 && {
      background: background.map(({ path, status, ready_ms, duration_ms }) => {
        return { step: path, state: status, ready_ms, duration_ms };
      }),
    }),
    ...(RESUMABLE.has(state) && { hint: `to run the rest, call resume_run with run ${id}` }),
  };
}

/** The op that is running, or that has ended the run. */
function currentOp(ops: readonly RecordedOp[], state: RunDocument['state']): RecordedOp | undefined {
  if (state === 'succeeded' || state === 'stopped') return undefined;
  const [running, starting] = (['running', 'starting'] as const).map((each) =>
    ops.find(({ status }) => status === each),
  );
  return running ?? starting ?? ops.find(isBad);
}

/** The end of the output of an op's last command. In sessions that no agent has started, it is not masked. */
function outputOf(runs: RecordedRuns, id: string, { commands }: RecordedOp, lines: number): string | undefined {
  const last = commands.at(-1);
  if (last === undefined || !runs.isOfAgent(id, last.session)) return undefined;
  const log = runs.log(id, last.session, last.n);
  return log && cleanOutput(log.text, log.cut, lines);
}

/** The number of commands that have ended, all attempts included. */
export function endedCommands(ops: readonly RecordedOp[]): number {
  const open = ops.filter(({ commands, end }) => commands.length > 0 && end === null).length;
  return ops.reduce((sum, { commands }) => sum + commands.length, -open);
}
