import { createRunId, isRemoteName } from '../../../records/journal/run_id.ts';
import { PLAN_FORMAT, type Plan } from '../../../ir/plan.ts';
import { writeBytes } from '../../../backend/system/write.ts';
import type { Followed, Printer, Submission } from '../../engine/engine.ts';
import { loadEngine } from '../../engine/load_engine.ts';
import { pushedCommit } from '../../engine/pushed_commit.ts';
import { packRun } from '../../engine/remote_run.ts';
import { secretProblems } from '../../engine/refuse_secrets.ts';
import { prepare } from '../../driver/prepare_run.ts';
import { WHOLE } from '../../driver/recording/record_run.ts';
import { givenFlags } from '../../driver/flag_words.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { print, printDocument } from '../../output/document.ts';
import { EXIT, refuse, printStderr, type Io } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';
import { confirmProblems, showPlan } from '../run/carry_out.ts';
import { failure, type Result } from '../../../base/result.ts';
import { link } from '../../../ir/link.ts';
import { locksOf } from '../../../ir/ops.ts';

/** The form of the name of something remote, in words. */
const REMOTE_NAME = 'up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit';

/** The problem with a flag whose value is no name of something remote. */
export function nameProblem(flag: string): string {
  return `flag '--${flag}' takes ${REMOTE_NAME}`;
}

/** The flags of `run` that concern the client's machine, and those about logs: the worker stores all output. */
const LOCAL_FLAGS = [
  'report',
  'reportLines',
  'events',
  'from',
  'until',
  'only',
  'watch',
  'output',
  'logs',
  'noLogs',
  'noWait',
] as const;

/** The maximum size of a submitted run, in bytes of JSON. */
const MAX_SIZE = 16 * 2 ** 20;

/** `workflow run --on URL`: runs a workflow on a worker, with the output of a local run. */
export async function runOn(io: Io, url: string, options: Options): Promise<number> {
  const problems = flagProblems(options);
  if (problems.length > 0) return refuse(io, problems);
  const engine = await loadEngine(io);
  if (!engine.ok) return refuse(io, engine.problems);
  const prepared = await printMessages(io, options, prepare(io, options, 'submit'));
  if (prepared === undefined) return EXIT.cannotStart;
  const { written } = prepared;
  await showPlan(io, written, options);
  const questions = await confirmProblems({ ...io, stdin: -1 }, written, options, WHOLE.known);
  const pushed = options.checkout ? pushedCommit() : undefined;
  const locked = lockInQueue(written, options.lock);
  const broken = [pushed, locked].flatMap((each) => (each?.ok === false ? each.problems : []));
  const refusals = [...questions, ...secretProblems(written), ...broken];
  if (refusals.length > 0) return refuse(io, refusals);
  const run = packRun(prepared, options, pushed?.ok === true ? pushed.value : undefined);
  if (Buffer.byteLength(JSON.stringify(run)) > MAX_SIZE)
    return refuse(io, ['the plan is larger than 16 MiB, the limit for a database']);
  const { id, tag, priority = '5', detach } = options;
  const submission: Submission = {
    url,
    format: PLAN_FORMAT,
    id: id ?? createRunId(new Date(), Math.random),
    run,
    tag: tag.at(-1) ?? null,
    lock: locked.ok ? locked.value : null,
    priority: Number(priority),
    detach,
  };
  return conclude(io, await engine.value.submit(submission, printerOf(io)), options);
}

/** Prints the result of following a run; returns the exit code. */
export async function conclude(io: Io, followed: Followed, options: Options): Promise<number> {
  switch (followed.kind) {
    case 'refused':
      return refuse(io, followed.problems);
    case 'left':
      return followed.code;
    case 'unstarted': {
      const { workflow, interrupted } = followed;
      const isText = options.format === 'text';
      if (!isText) printDocument(io, { workflow, steps: [], success: false, interrupted }, options, EXIT.no);
      return io.die(interrupted);
    }
    case 'ended': {
      const { document, code, interrupted } = followed.end;
      const printed = print(io, [document], code);
      return interrupted === null ? printed : io.die(interrupted);
    }
  }
}

/** A printer for the engine. */
export function printerOf(io: Io): Printer {
  return {
    say: (line) => printStderr(io, [line], 'cli: '),
    log: (bytes) => writeBytes(io.stderr, Buffer.from(bytes)),
    document: (text) => (print(io, [text], EXIT.ok) === EXIT.ok ? undefined : 'standard output'),
  };
}

function flagProblems(options: Options): readonly string[] {
  const { tag, lock, id, priority = '5', args } = options;
  const names = Object.entries({ tag: tag.at(-1), lock, id }).filter(([, name]) => !isRemoteName(name ?? 'x'));
  return [
    ...givenFlags(options, LOCAL_FLAGS).map((flag) => `'${flag}' cannot be used with '--on'`),
    ...(args.length > 0 ? ["arguments after '--' cannot be used with '--on'"] : []),
    ...(tag.length > 1 ? ["a run has only one '--tag'"] : []),
    ...names.map(([flag]) => nameProblem(flag)),
    ...(/^\d$/.test(priority) ? [] : ["flag '--priority' must be a number from 0 to 9"]),
  ];
}

/** The lock of a run in the queue of workers: that of its plan, or the value of `--lock`. */
function lockInQueue(written: Plan, flag: string | undefined): Result<string | null> {
  // No variable of this process has a value on the machine of the worker.
  const { plan, problems } = link(written, { inherited: {}, dotenv: new Map() });
  const names = locksOf(plan);
  const [name, ...others] = names;
  if (name === undefined) return { ok: true, value: flag ?? null };
  const open = new Set(written.calls.flatMap(({ lock }) => lock?.lookups?.map(({ offset }) => offset) ?? []));
  const unknown = problems.find(({ lookup }) => open.has(lookup.offset));
  if (unknown !== undefined)
    return failure(`with '--on', only the file or a parameter can set the variable of a lock: ${unknown.lookup.name}`);
  const workflow = `workflow '${written.workflow}'`;
  if (others.length > 0)
    return failure(`with '--on', a run holds one lock, and ${workflow} has several: ${names.join(', ')}`);
  if (!isRemoteName(name)) return failure(`with '--on', the name of a lock has ${REMOTE_NAME}: '${name}'`);
  if (flag !== undefined && flag !== name)
    return failure(`'--lock' is another lock than '${name}', that of ${workflow}`);
  return { ok: true, value: name };
}
