import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import { repeatWords } from '../command_line/suggested_command.ts';
import { decode } from '../../frontend/syntax/decode.ts';
import { parseJson } from '../../frontend/syntax/json_parser.ts';
import { memberOf, members } from '../../frontend/syntax/json_tree.ts';
import { isOwn } from '../../records/journal/directory/entries.ts';
import type { Io } from '../output/io.ts';
import type { Message } from '../output/messages/message.ts';
import { failure, type Result } from '../../base/result.ts';
import { shellWord } from '../../base/shell_word.ts';
import {
  changeDirectory,
  directoriesOfRepository,
  findDirectory,
  parentsOf,
  searchedDirectories,
} from './find_directory.ts';
import { readRegular } from './read_file.ts';

/** A directory that has been entered: the path back, and the message about it. */
type Entered = Readonly<{ startDirectory: string; message: Message }>;

/**
 * Changes to the nearest parent directory with a default file. Problems include hints. `words` name the workflow and its
 * parameters, if the command line does.
 */
export function enterDirectoryOfFile(io: Io, words: readonly string[] = []): Result<Entered> {
  const start = process.cwd();
  const found = findDirectory(start);
  if (found === undefined) {
    const unsearched = unsearchedFile(start, words);
    const begin = unsearched.length === 0 ? '; to begin: cli init' : '';
    return failure(`no ${DEFAULT_FILE} here${begin}`, ...unsearched, ...hints(start));
  }
  const directory = relative(start, found);
  if (!isTrusted(found, start)) {
    return failure(`${join(directory, DEFAULT_FILE)} belongs to another user; to use it, change to its directory`);
  }
  const lines = [`using ${join(directory, DEFAULT_FILE)}; commands run in ${directory}`];
  changeDirectory(io, found);
  const message = { kind: 'lines', prefix: 'cli: ', lines } as const;
  return { ok: true, value: { startDirectory: relative(found, start), message } };
}

/** Hints about a default file further up, which is not used, each in a line of its own. */
function unsearchedFile(start: string, words: readonly string[]): string[] {
  const directory = parentsOf(start).find((parent) => isThere(parent, DEFAULT_FILE));
  if (directory === undefined) return [];
  const way = relative(start, directory);
  const file = join(way, DEFAULT_FILE);
  const run = words.length === 0 ? 'NAME' : repeatWords(words, words);
  // In a repository below that directory, another one around it changes nothing.
  const isInRepository = directoriesOfRepository(start) !== undefined;
  return [
    isInRepository
      ? `${file} is not used: it is outside of the Git repository of this directory`
      : `${file} is not used: it is in or above a directory that other users may write to, and not in a Git repository`,
    `to go to its directory: cd ${shellWord(way)}`,
    ...(isInRepository ? [] : [`to have it found from all directories below: git init ${shellWord(way)}`]),
    `to run its steps in this directory: cli run -f ${shellWord(file)} ${run}`,
  ];
}

/**
 * Whether the file in a parent directory belongs to this user, to root, or to the owner of the current directory, as in
 * a repository that is mounted from elsewhere. Anyone can create a repository in a directory such as /tmp.
 */
function isTrusted(directory: string, start: string): boolean {
  const stats = trySystemCall(() => [lstatSync(dirname(join(directory, DEFAULT_FILE))), statSync(start)] as const);
  if (typeof stats === 'string') return false;
  const [found, own] = stats;
  return isOwn(found) || found.uid === 0 || found.uid === own.uid;
}

const MIGRATING = 'https://github.com/workflow-plan/workflow-plan/blob/main/docs/migrating.md';

/** The files of other tools that `init` converts: their names, in the order in which each tool looks for them. */
const CONVERTED = [
  ['justfile', 'Justfile', '.justfile'],
  ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'],
  ['GNUmakefile', 'makefile', 'Makefile'],
  ['package.json'],
] as const;

/** The files in a directory that `init` converts. */
export function convertibleFiles(directory: string): string[] {
  const found = CONVERTED.flatMap((names) => names.find((name) => isThere(directory, name)) ?? []);
  return found.filter((name) => name !== 'package.json' || hasScripts(join(directory, name)));
}

/** A file that can be copied. */
const COPIED = '.asc/workflow.json';

/** Hints about files of other tools, in the nearest directory with such files. */
function hints(start: string): string[] {
  for (const directory of searchedDirectories(start)) {
    const way = relative(start, directory);
    const differences = `can be copied to ${DEFAULT_FILE}; for the differences: ${MIGRATING}#asc-workflow`;
    const copied = isThere(directory, COPIED) ? [`${join(way, COPIED)} ${differences}`] : [];
    const converted = convertibleFiles(directory).map((name) => {
      const why = name === 'package.json' ? 'has scripts; to convert them' : 'can be converted';
      return `${join(way, name)} ${why}: cli init --from ${name}`;
    });
    const found = [...copied, ...converted];
    if (found.length > 0) return found.map((line) => `${line}${way === '' ? '' : ` (in ${way})`}`);
  }
  return [];
}

/** Whether a directory contains a name. Compares exactly, because file systems may ignore case. */
function isThere(directory: string, name: string): boolean {
  try {
    const path = join(directory, name);
    return readdirSync(dirname(path)).includes(name.replace(/.*\//, ''));
  } catch {
    // Missing or not permitted.
    return false;
  }
}

function hasScripts(path: string): boolean {
  const file = readRegular(path);
  if (!file.ok) return false;
  const tree = parseJson(decode(file.value).text, 0);
  return members(memberOf(tree, 'scripts')).length > 0;
}
