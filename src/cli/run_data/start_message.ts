import * as v from 'valibot';
import { closeSync, readFileSync } from 'node:fs';
import { isRunId } from '../../records/journal/run_id.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { paramWord } from '../../base/param_word.ts';
import { shellWord } from '../../base/shell_word.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import { flagWords, NO_OPTIONS } from '../driver/flag_words.ts';
import type { Options } from '../command_line/parse_command_line.ts';

/** The descriptor of the pipe. */
const MESSAGE_FD = 3;

const Digits = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

const Texts = v.pipe(v.array(v.string()), v.readonly());
const Params = v.pipe(v.array(v.pipe(v.tuple([v.string(), v.string()]), v.readonly())), v.readonly());

/**
 * A run of a workflow with parameters, or the resume of a run, for a page or an agent. `name` is that of the workflow, or
 * the id of the run. The other fields are flags.
 */
const RunRequest = v.object({
  command: v.picklist(['run', 'resume']),
  name: v.string(),
  params: Params,
  file: v.optional(v.string()),
  from: v.optional(v.string()),
  until: v.optional(v.string()),
  changed: v.optional(v.picklist(['keep', 'rerun'])),
  onCrash: v.optional(v.picklist(['ask', 'rerun', 'fail'])),
  done: v.exactOptional(Texts),
  rerun: v.exactOptional(Texts),
  logs: v.exactOptional(v.boolean()),
  yes: v.exactOptional(v.boolean()),
  quiet: v.exactOptional(v.boolean()),
});

export type RunRequest = Readonly<v.InferOutput<typeof RunRequest>>;

/**
 * The message to the process of a run, through a pipe that no other user can read: the id of a new run, the key and the
 * digest of what was shown, what to run, and its originator.
 */
const StartMessage = v.object({
  run: v.pipe(v.string(), v.check(isRunId)),
  key: Digits,
  digest: Digits,
  request: RunRequest,
  agent: v.exactOptional(v.picklist(['approved', 'allowed'])),
});

export type StartMessage = Readonly<v.InferOutput<typeof StartMessage>>;

/** Reads the message and closes its pipe, so that no command inherits it. Undefined if there is none. */
export function receiveStartMessage(): StartMessage | undefined {
  const text = trySystemCall(() => ({ text: readFileSync(MESSAGE_FD, 'utf8') }));
  if (typeof text === 'string') return undefined;
  trySystemCall(() => closeSync(MESSAGE_FD));
  try {
    return v.parse(StartMessage, JSON.parse(text.text));
  } catch {
    // The caller identifies the writer of the message.
    return undefined;
  }
}

/** The options of a run or a resume without a command line. */
export function optionsOf({ command: _command, name, params, file, ...flags }: RunRequest): Options {
  const words = [name, ...params.map(paramWord)];
  const named = { file: file ?? DEFAULT_FILE, isFileNamed: file !== undefined, isFound: true };
  return { ...NO_OPTIONS, ...flags, ...named, format: 'json', words };
}

/** The equal command line, quoted for a shell, with words after its flags. The default file need not be named. */
export function shownLine(request: RunRequest, ...more: readonly string[]): string {
  const options = optionsOf(request);
  const isFileNamed = options.isFileNamed && options.file !== DEFAULT_FILE;
  const flags = flagWords({ ...options, isFileNamed }, 'format', 'quiet').map((words) => words.join('='));
  const isPlain = options.words.every((word) => !word.startsWith('-'));
  const line = isPlain ? [...options.words, ...flags, ...more] : [...flags, ...more, '--', ...options.words];
  return ['cli', request.command, ...line].map(shellWord).join(' ');
}
