import { readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { write } from '../../../backend/system/write.ts';
import { redactPath } from '../../command_line/redact.ts';
import { isSameFile } from '../../driver/read_file.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { openEmptied, openToAppend } from '../file/open_file.ts';
import { readSurroundings, type Surroundings } from '../file/surroundings.ts';
import type { EventTarget } from '../report_flags.ts';
import type { ReportedRun, Reporter } from '../reporter_type.ts';
import { isCommand } from '../../../ir/ops.ts';
import type { Outcome, RunEvent } from '../../../backend/run_event.ts';
import { at, type CommandOp, type ParallelOp } from '../../../ir/plan.ts';
import { VERSION } from '../../../base/version.ts';
import { now, times, type Moment } from '../moment.ts';
import { identity, reportCall } from '../file/op_identity.ts';
import { codeOf, reasonOf, reportedResult } from '../file/report.ts';
import { maskedParams } from '../../../ir/secret_names.ts';
import type { Change, OpResult } from '../op_results.ts';

/** The events of a run as objects for JSON. Fields have the same meaning as in a report. */
class EventLines {
  readonly #run: ReportedRun;
  /** The index in the ops of a report, which has no entries for groups, by the index in the plan. */
  readonly #indexes: readonly number[];

  constructor(run: ReportedRun) {
    this.#run = run;
    let next = 0;
    this.#indexes = run.prepared.plan.ops.map((op) => (isCommand(op) ? next++ : next));
  }

  /** The first line. */
  first(surroundings: Surroundings): object {
    const { plan } = this.#run.prepared;
    const { start } = times(this.#run.results.start, this.#run.results.start);
    const about = { tool: VERSION, params: maskedParams(plan), ...surroundings, calls: plan.calls.map(reportCall) };
    return { event: 'run_started', time: start, version: 1, workflow: plan.workflow, start, ...about };
  }

  *of({ event, time, results }: Change): Generator<object> {
    yield* this.#ended(results, time);
    const line = this.#line(event, time);
    if (line !== undefined) yield line;
  }

  #line(event: RunEvent, time: Moment): object | undefined {
    switch (event.kind) {
      case 'started':
        return { ...stamp('op_started', time), ...this.#identity(event.op, event.index) };
      case 'waiting':
        return this.#retrying(event, time);
      case 'refused': {
        const { call, step } = event.step;
        const { workflow } = at(this.#run.prepared.plan.calls, call);
        return { ...stamp('call_failed', time), workflow, call, step, reason: event.reason };
      }
      case 'ready':
        return { ...stamp('op_ready', time), ...this.#identity(event.op, event.index), ms: event.milliseconds };
      case 'group started':
        return { ...stamp('group_started', time), ...this.#groupOf(event.op) };
      case 'group ended':
        return { ...stamp('group_ended', time), ...this.#groupOf(event.op), failed: event.failed };
      // The results that they decide have their lines. Output has none.
      case 'ended':
      case 'held':
      case 'skipped':
      case 'kept':
      case 'left out':
      case 'declined':
      case 'member output':
      case 'not ready':
        return undefined;
    }
  }

  /** The ops that the run did not reach, and the last line. */
  *last({ success, interrupted }: Outcome, unreached: readonly OpResult[]): Generator<object> {
    const end = now();
    yield* this.#ended(unreached, end);
    const result = { success, interrupted: interrupted ?? null };
    const { workflow } = this.#run.prepared.plan;
    yield { ...stamp('run_ended', end), workflow, ...result, ...times(this.#run.results.start, end) };
  }

  *#ended(results: readonly OpResult[], time: Moment): Generator<object> {
    for (const result of results) {
      const reported = reportedResult(result, this.#run.text, this.#run.results.start);
      yield { ...stamp('op_ended', time), ...this.#identity(result.op, result.index), ...reported };
    }
  }

  #retrying({ op, index, exit, attempt }: RunEvent & { kind: 'waiting' }, time: Moment): object {
    const failure = { attempt, ...codeOf(exit), reason: reasonOf(op, exit, this.#run.text) };
    return { ...stamp('op_retrying', time), ...this.#identity(op, index), ...failure };
  }

  #identity(op: CommandOp, index: number): object {
    return { op: this.#indexes[index], ...identity(this.#run.prepared.plan, op) };
  }

  #groupOf({ name, call, step }: ParallelOp): object {
    return { name, workflow: at(this.#run.prepared.plan.calls, call).workflow, call, step };
  }
}

function stamp(event: string, { wall }: Moment): object {
  return { event, time: new Date(wall).toISOString() };
}

/**
 * Opens the file or descriptor of `--events` before the first step; undefined after an error, which has been printed.
 * Opening a named pipe waits for its reader, as in a shell.
 */
export function openEvents(
  io: Io,
  run: ReportedRun,
  target: EventTarget,
  reports: readonly string[],
): Reporter | undefined {
  const name = 'path' in target ? redactPath(target.path) : `fd:${target.descriptor}`;
  const opened = 'path' in target ? openFile(io, run, target.path, reports) : openDescriptor(target.descriptor);
  if (typeof opened === 'string') return printStderr(io, [`cannot write the events to ${name}: ${opened}`], 'cli: ');
  const surroundings = readSurroundings();
  let isOver = false;
  const put = (line: object): void => {
    const problem = isOver ? undefined : write(opened, [`${JSON.stringify(line)}\n`]);
    if (problem === undefined) return;
    isOver = true;
    printStderr(io, [`cannot write more events to ${name}: ${problem}`], 'cli: warning: ');
  };
  const lines = new EventLines(run);
  return {
    begin: () => put(lines.first(surroundings)),
    onEvent: (change) => {
      for (const line of lines.of(change)) put(line);
    },
    onEnd: (outcome, unreached) => {
      for (const line of lines.last(outcome, unreached)) put(line);
    },
  };
}

function openFile(io: Io, { prepared }: ReportedRun, path: string, reports: readonly string[]): number | string {
  const opened = openEmptied(() => openToAppend(path), io, prepared.path);
  if (typeof opened === 'string') return opened;
  return reports.some((report) => isSameFile(opened, report)) ? 'it is the report' : opened;
}

/**
 * A descriptor, or the reason why events cannot be written to it. One that the caller has not opened may be one that the
 * runtime uses.
 */
function openDescriptor(descriptor: number): number | string {
  const probed = trySystemCall(() => writeSync(descriptor, ''));
  return typeof probed === 'string' || isOwnPipe(descriptor) ? 'it is not open for writing' : descriptor;
}

/** Whether a descriptor is an end of a pipe whose other end is also in this process. Known only with /proc. */
function isOwnPipe(descriptor: number): boolean {
  const link = linkOf(String(descriptor));
  if (link?.startsWith('pipe:') !== true) return false;
  const all = trySystemCall(() => readdirSync('/proc/self/fd'));
  return typeof all !== 'string' && all.some((name) => Number(name) > 2 && linkOf(name) === link && isForReading(name));
}

function linkOf(name: string): string | undefined {
  const link = trySystemCall(() => ({ target: readlinkSync(`/proc/self/fd/${name}`) }));
  return typeof link === 'string' ? undefined : link.target;
}

/** Whether a descriptor is read-only, according to the access mode in its flags, an octal number. */
function isForReading(name: string): boolean {
  const info = trySystemCall(() => ({ text: readFileSync(`/proc/self/fdinfo/${name}`, 'utf8') }));
  return typeof info !== 'string' && /^flags:\s*[0-7]*[04]$/m.test(info.text);
}
