import { isAbsolute } from 'node:path';
import * as v from 'valibot';
import { SIGNALS } from '../../backend/command_runner.ts';
import { isMarkerName } from '../../backend/process/base_environment.ts';
import { FORMAT_VERSION } from './format_version.ts';
import { COMMIT } from './head_commit.ts';
import { parseJson } from './parse_json.ts';
import { isRunId } from './run_id.ts';

/*
 * The records of a session: lines of a file, or rows of a database. Unlisted fields are ignored, so that later versions
 * can add some. An unlisted kind or a higher version is an error.
 */

/** ISO 8601 in UTC. */
const Time = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  v.check((time) => !Number.isNaN(Date.parse(time))),
);

/** A number of things, a position or an index. */
const Count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const OpIndex = v.pipe(v.number(), v.integer(), v.minValue(-1), v.maxValue(2 ** 31 - 1));
const ExitCode = v.pipe(v.number(), v.integer(), v.minValue(-(2 ** 31)), v.maxValue(2 ** 32 - 1));
/** A hundred years. */
const Milliseconds = v.pipe(v.number(), v.minValue(0), v.maxValue(3.2e12));

/** A text without NULs, as in an environment or a path. */
const Value = v.pipe(v.string(), v.excludes('\0'));
/** A word about the system or this tool. */
const Word = v.pipe(v.string(), v.maxLength(256));
const AbsolutePath = v.pipe(Value, v.maxLength(65_536), v.check(isAbsolute));
const Name = v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/));

const Segment = v.pipe(
  v.string(),
  v.regex(/^(?:\d{1,9}\.)?(?:(?:name|run|call|hook|own):|parallel$|(?:if|stale|first)$)/),
);
/** See `ir/steps/identity.ts`. */
export const Id = v.pipe(v.array(Segment), v.minLength(1), v.readonly());
/** The path of names of a command, absent if its id tells it: see `ir/steps/command_path.ts`. */
export const NamePath = v.exactOptional(v.pipe(v.array(v.string()), v.minLength(1), v.readonly()));
/** Parameters. Those of several workflows begin with the number of the workflow. */
const ParamName = v.pipe(v.string(), v.regex(/^(?:[1-9][0-9]*\.)?[A-Za-z_][A-Za-z0-9_]*$/));
const Params = v.pipe(v.array(v.pipe(v.tuple([ParamName, v.nullable(Value)]), v.readonly())), v.readonly());
const Pairs = v.pipe(v.array(v.pipe(v.tuple([Name, v.nullable(Value)]), v.readonly())), v.readonly());
const Digests = v.pipe(v.array(v.pipe(v.tuple([v.string(), Word]), v.readonly())), v.readonly());
const Path = v.pipe(v.array(v.union([v.string(), v.pipe(v.number(), v.integer())])), v.readonly());
const Fingerprint = v.object({
  command: v.string(),
  dir: v.nullable(v.string()),
  errexit: v.exactOptional(v.literal(true)),
  outputs: v.pipe(
    v.array(v.pipe(v.tuple([v.string(), v.union([v.literal('text'), Path])]), v.readonly())),
    v.readonly(),
  ),
  vars: Digests,
  copies: v.exactOptional(v.pipe(v.array(v.number()), v.readonly())),
});

/**
 * The first line. `file` is null for standard input, the value of a secret parameter too. `args` counts the arguments
 * after `--`; `caller` is where the run was started. `key` is that of the run's entry (`directory/entries.ts`), only in a
 * first session. `marker` is a variable of all its processes. `pid`, `started` (start time), `boot` and `space` (pid
 * namespace) identify the process, if the system does; without /proc, `started` is a time at which it was running, and a
 * later record has the boot. `agent`: a coding agent started it, approved or allowed. `commit`: that of the
 * Git repository.
 */
const Header = v.object({
  kind: v.literal('session'),
  version: v.literal(FORMAT_VERSION),
  tool: Word,
  run: v.pipe(v.string(), v.check(isRunId)),
  key: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))),
  session: v.pipe(Count, v.minValue(1)),
  workflow: v.string(),
  file: v.nullable(AbsolutePath),
  cwd: AbsolutePath,
  caller: v.exactOptional(AbsolutePath),
  params: Params,
  args: Count,
  from: v.nullable(v.string()),
  until: v.nullable(v.string()),
  marker: v.pipe(Word, v.check(isMarkerName)),
  pid: v.pipe(Count, v.minValue(1)),
  started: v.nullable(Word),
  boot: v.nullable(Word),
  space: v.nullable(Word),
  host: Word,
  uid: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 32 - 1))),
  at: Time,
  agent: v.exactOptional(v.picklist(['approved', 'allowed'])),
  commit: v.exactOptional(v.pipe(v.string(), v.regex(COMMIT))),
});

/** A frame of the session's plan: its index, the index of its parent, and the variables that it sets, except secret ones. */
const Frame = v.pipe(v.tuple([Count, v.nullable(Count), Digests]), v.readonly());

/**
 * The start of a command. `n` numbers the commands of a session. `op` is the index of its op in the session's plan, -1 in
 * records of earlier versions. `frame` is the frame of a step. `frames` contains that frame and the frames around it,
 * except those in earlier records of the session.
 */
const Start = v.object({
  kind: v.literal('start'),
  n: Count,
  op: v.optional(OpIndex, -1),
  id: Id,
  name: v.string(),
  path: NamePath,
  what: v.picklist(['step', 'condition', 'hook']),
  background: v.exactOptional(v.literal(true)),
  attempt: Count,
  print: Fingerprint,
  frame: v.optional(Count),
  frames: v.optional(v.pipe(v.array(Frame), v.readonly())),
  at: Time,
});

/** The last signal that interrupted the run; null if there was none. */
const Interruption = v.nullable(v.pipe(v.object({ signal: v.picklist(SIGNALS), forced: v.boolean() }), v.readonly()));

/**
 * The part of the end of a command for a replay: the number of commands that had begun by then, and the interruptions
 * known when the command began and ended.
 */
const Replay = v.pipe(v.object({ begun: Count, before: Interruption, after: Interruption }), v.readonly());

/**
 * The end of command `n`, which follows the start with this number. `more`: another attempt follows. `interrupted`: the
 * run was interrupted earlier. `why` is the reason why its outputs could not be read or why it did not start. The value
 * of a secret output is null in a directory. `limit` is the time limit that it exceeded, in milliseconds. `cancelled`,
 * `rejected` and `early` are the kinds of its exit. `holds` is the result of a condition. Only a database has `replay`.
 */
const End = v.object({
  kind: v.literal('end'),
  n: Count,
  exit: ExitCode,
  failed: v.boolean(),
  ms: Milliseconds,
  allowed: v.optional(v.boolean()),
  more: v.optional(v.boolean()),
  interrupted: v.optional(v.boolean()),
  why: v.optional(v.string()),
  outputs: v.optional(Pairs),
  limit: v.optional(Milliseconds),
  cancelled: v.optional(v.boolean()),
  rejected: v.optional(v.boolean()),
  early: v.optional(v.boolean()),
  holds: v.optional(v.boolean()),
  replay: v.optional(Replay),
});

/** Command `n`, which runs in the background, is ready. */
const Ready = v.object({ kind: v.literal('ready'), n: Count, ms: Milliseconds });

/**
 * The result of a condition that tests a variable, or of a check; in records of earlier versions, of any condition.
 * `outputs` are those of a step that is up to date.
 */
const Decide = v.object({
  kind: v.literal('decide'),
  op: v.optional(OpIndex, -1),
  id: Id,
  holds: v.boolean(),
  print: Fingerprint,
  outputs: v.exactOptional(Pairs),
});

/**
 * A finished step is kept under its current id and print. `done`: it counts as finished because of `--done`. These
 * records precede the first command and refer to the state before all of them.
 */
const Kept = v.object({
  kind: v.literal('kept'),
  id: Id,
  was: Id,
  name: v.string(),
  print: Fingerprint,
  done: v.optional(v.boolean()),
});

/** The boot in which the process of the session runs, if the header does not have it. */
const Boot = v.object({ kind: v.literal('boot'), boot: Word });

/** A step was requested to run again, regardless of its record and of later finished steps. */
const Again = v.object({ kind: v.literal('again'), id: Id, was: Id, name: v.string(), print: Fingerprint });

/**
 * The record of a step no longer counts, because it was decided about all steps of the edited file that may be the same;
 * or that of a condition, which is tested again.
 */
const Dropped = v.object({ kind: v.literal('dropped'), id: Id });

/** The question of a step is asked, until the next record. */
const Asked = v.object({ kind: v.literal('asked'), op: OpIndex, id: Id, question: v.string() });

/** A step does not run because of its question. `asked`: the answer was no; otherwise there was no terminal. */
const Declined = v.object({ kind: v.literal('declined'), op: OpIndex, id: Id, asked: v.boolean() });

/** The run waits for a lock, until the next record. `run` holds it; null if it is not recorded. */
const Waits = v.object({ kind: v.literal('waits'), lock: v.string(), run: v.nullable(v.string()) });

/** The end of the session. `whole`: no unfinished step was left out. */
const Finish = v.object({
  kind: v.literal('finish'),
  success: v.boolean(),
  whole: v.boolean(),
  interrupted: v.nullable(v.picklist(SIGNALS)),
  at: Time,
});

const RECORDS = [Start, Ready, End, Decide, Asked, Declined, Waits, Kept, Again, Dropped, Finish] as const;
const AnyRecord = v.variant('kind', [Header, Boot, ...RECORDS]);

/** A record after the header. */
export const SessionRecord = v.variant('kind', RECORDS);

export type SessionHeader = Readonly<v.InferOutput<typeof Header>>;
export type SessionRecord = Readonly<v.InferOutput<typeof SessionRecord>>;
export type StartRecord = Extract<SessionRecord, { kind: 'start' }>;
export type EndRecord = Extract<SessionRecord, { kind: 'end' }>;
export type FinishRecord = Extract<SessionRecord, { kind: 'finish' }>;

/** The content of a line. `version` is that of a newer format. */
export type ParsedLine = Readonly<
  | { kind: 'header'; header: SessionHeader }
  | { kind: 'record'; record: SessionRecord }
  | { kind: 'boot'; boot: string }
  | { kind: 'newer'; version: number }
  | { kind: 'unknown kind'; name: string }
  | { kind: 'malformed' }
  | { kind: 'no record' }
>;

const KINDS: ReadonlySet<string> = new Set(AnyRecord.options.map(({ entries }) => entries.kind.literal));

/** Parses a line. A line that is not a JSON object with a `kind` may be left over from a crash. */
export function parseLine(bytes: Uint8Array): ParsedLine {
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || !('kind' in value)) return { kind: 'no record' };
  const { kind } = value;
  if (typeof kind !== 'string') return { kind: 'no record' };
  const version = kind === 'session' && 'version' in value ? value.version : FORMAT_VERSION;
  if (typeof version === 'number' && version > FORMAT_VERSION) return { kind: 'newer', version };
  if (!KINDS.has(kind)) return { kind: 'unknown kind', name: kind };
  const { success, output } = v.safeParse(AnyRecord, value);
  if (!success) return { kind: 'malformed' };
  if (output.kind === 'boot') return output;
  return output.kind === 'session' ? { kind: 'header', header: output } : { kind: 'record', record: output };
}

/** The records of lines that this process wrote. */
export function recordsOf(lines: string): readonly SessionRecord[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => v.parse(SessionRecord, JSON.parse(line)));
}
