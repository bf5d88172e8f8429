import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import type { RecordedRun } from '../../../records/journal/journal.ts';
import type { SessionHeader } from '../../../records/journal/record.ts';
import { DEFAULT_FILE } from '../../command_line/default_file.ts';
import { joinedName } from '../../command_line/choose_workflow.ts';
import { plainName } from '../../../ir/plan.ts';
import { readParams } from '../../command_line/params.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { redactPath } from '../../command_line/redact.ts';
import type { Io } from '../../output/io.ts';
import type { Reported } from '../../output/messages/message.ts';
import { failure } from '../../../base/result.ts';
import type { ReadFile } from '../load.ts';
import { findDirectory } from '../find_directory.ts';
import { MASK, maskValue, secretNames } from '../../../ir/secret_names.ts';
import { truncateLine } from '../../../base/truncate.ts';
import { paramWord } from '../../../base/param_word.ts';
import { declaredSecrets } from '../../../frontend/lint/scopes.ts';
import { prepare, wordsOf, type Prepared, type PreparedRun } from '../prepare_run.ts';

/** The compiled plan of a recorded run, as in `PreparedRun`, and the absolute path of its file; null for standard input. */
export type PreparedResume = Prepared & Pick<PreparedRun, 'written'> & Readonly<{ file: string | null }>;

/** The path back to the directory in which the command was started, and the workflow file if it has been read. */
export type ResumeStart = Readonly<{ startDirectory: string; read?: ReadFile | undefined }>;

/** Compiles the workflow of a recorded run with its parameters. Those of the command line take precedence. */
export async function prepareResume(
  io: Io,
  options: Options,
  { id, sessions }: RecordedRun,
  words: readonly string[],
  { startDirectory, read }: ResumeStart,
): Promise<Reported<PreparedResume>> {
  const header = sessions.at(-1)?.header;
  if (header === undefined) throw new Error(`run ${id} has no session`);
  if (header.args > 0 && options.args.length === 0) return failure(unrecordedArguments(id, header));
  const line = wordsOf(options);
  const isNumbered = header.workflow.includes(joinedName(['', '']));
  const given = readParams(words, line, isNumbered);
  const other = isNumbered ? given.params.find(([name]) => plainName(name) === name) : undefined;
  if (other !== undefined)
    return failure(`a parameter of one of several workflows begins with its number: 1.${other[0]}:VALUE`);
  if (given.problems.length > 0) return failure(...given.problems);
  const params = new Map([...header.params, ...given.params]);
  const missing: string[] = [];
  for (const [name, value] of params) {
    const variable = plainName(name);
    const known = value ?? (Object.hasOwn(io.env, variable) ? io.env[variable] : undefined);
    if (known === undefined) missing.push(name);
    params.set(name, known ?? '');
  }
  const file = options.isFileNamed ? options.file : locateFile(header);
  if (file === null) return failure(unrecordedFile(id));
  // The file is not searched for in parent directories.
  const named = { file, isFileNamed: true, isFound: !options.isFileNamed || options.isFound === true };
  const all = [header.workflow, ...[...params].map(([name, value]) => paramWord([name, value ?? '']))];
  const recordedOnly = new Set(header.params.map(([name]) => name));
  for (const [name] of given.params) recordedOnly.delete(name);
  const dropped: string[] = [];
  const preparation: Parameters<typeof prepare>[3] = {
    line,
    read,
    withoutSecrets: (workflows, all) => {
      const secrets = new Set(declaredSecrets(workflows).flatMap((each) => Array.from(each.keys())));
      const isDropped = (name: string): boolean => recordedOnly.has(name) && secrets.has(name);
      dropped.push(...all.flatMap(([name]) => (isDropped(name) ? name : [])));
      return all.filter(([name]) => !isDropped(name));
    },
  };
  const prepared = await prepare(io, { ...options, ...named, words: all }, 'run', preparation);
  const lacking = missing.filter((name) => !dropped.includes(name));
  if (lacking.length > 0) return failure(...lacking.map(describeMissing));
  if (!prepared.ok) return prepared;
  const { plan, written, path, position, logs } = prepared.value;
  if (plan.workflow !== header.workflow) return failure(`no workflow '${header.workflow}' in ${redactPath(file)}`);
  const recorded = file === '-' ? null : resolve(file);
  const names = [...recordedOnly].filter((name) => !dropped.includes(name));
  const [recordedParams, isSecret] = [new Map(header.params), secretNames(plan)];
  const shown = (name: string): string =>
    truncateLine(maskValue(isSecret, plainName(name), recordedParams.get(name) ?? MASK));
  const lines = [
    ...(options.isFileNamed || recorded === resolve(DEFAULT_FILE)
      ? []
      : [`the workflow file of the run is ${redactPath(file)}`]),
    ...(process.cwd() === directoryOfRun(startDirectory) ? [] : [`the directory of the run is ${process.cwd()}`]),
    ...(names.length === 0
      ? []
      : [`the recorded parameters are ${names.map((name) => `${name}=${shown(name)}`).join(', ')}`]),
    ...dropped.map((name) => `the recorded parameter ${name} is left out: it is a secret of the file now`),
  ];
  const messages = [{ kind: 'lines', prefix: 'cli: ', lines } as const, ...(prepared.messages ?? [])];
  return { ok: true, messages, value: { plan, written, path, startDirectory, position, logs, file: recorded } };
}

/** The error for a run with arguments after `--`. */
export function unrecordedArguments(id: string, { args }: Pick<SessionHeader, 'args'>): string {
  const count = `${args} argument${args === 1 ? '' : 's'}`;
  return `run ${id} had ${count} after '--', which are not recorded; add -- and the arguments`;
}

/** The error for a run whose file was standard input. */
export function unrecordedFile(id: string): string {
  return `run ${id} read its workflow file from standard input; name a file with --file`;
}

/** The directory in which `run` would run commands. */
function directoryOfRun(startDirectory: string): string {
  const start = resolve(startDirectory);
  return findDirectory(start) ?? start;
}

/**
 * The workflow file of a run. In another directory than that of the run, the file with the same relative path is used if
 * the recorded one does not exist, because the directory was moved. Null for standard input.
 */
export function locateFile({ file, cwd }: Pick<SessionHeader, 'file' | 'cwd'>): string | null {
  if (file === null) return null;
  const path = relative(cwd, file);
  // As a relative path, the name `-` would be standard input.
  const isBelow = path !== '-' && !path.startsWith('..') && !isAbsolute(path);
  return isBelow && (cwd === process.cwd() || !existsSync(file)) ? path : file;
}

function describeMissing(name: string): string {
  return `the parameter ${name} is secret and was not recorded; add ${name}:VALUE, or set the variable ${plainName(name)}`;
}
