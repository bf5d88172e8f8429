import { closeSync, lstatSync, mkdirSync, openSync, rmSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, basename, join, relative } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { write } from '../../backend/system/write.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { redactPath } from '../command_line/redact.ts';
import { convertibleFiles } from '../driver/find_file.ts';
import { readRegular } from '../driver/read_file.ts';
import { readWorkflowFile } from '../../frontend/parse.ts';
import { print, printDocument } from '../output/document.ts';
import { EXIT, refuse, printStderr, type Io } from '../output/io.ts';
import { outputLines } from '../output/paint.ts';
import { suggestedCommand } from '../command_line/suggested_command.ts';
import { printMessages } from '../output/messages/print_messages.ts';
import { completeImport } from './init/complete_import.ts';
import { importFile } from './init/import_file.ts';
import { importKind, nothingConverted, unknownKind } from './init/import_kind.ts';
import { isStarter, starterFile } from './init/starter_file.ts';
import { schemaVersion } from '../driver/stale_schema.ts';
import { jsonSchema } from '../../frontend/json_schema/json_schema.ts';

/** The schema of an installed package. */
const INSTALLED = 'node_modules/workflow-plan/dist/schema.json';

/**
 * The value of `$schema` for a new file: the schema of the installed package, or else a copy in the directory of the
 * file, if that is `.cli`. Undefined if there is neither. `copy` is the path of a copy to write.
 */
function editorSchema(file: string): Readonly<{ reference: string | undefined; copy?: string }> {
  const directory = dirname(file);
  if (existsSync(INSTALLED)) return { reference: relative(directory, INSTALLED) };
  if (basename(directory) !== '.cli') return { reference: undefined };
  const copy = join(directory, 'schema.json');
  if (!existsSync(copy)) return { reference: './schema.json', copy };
  return { reference: schemaVersion(copy) === undefined ? undefined : './schema.json' };
}

/** Writes a copy of the schema. Returns the problem, if any. */
function writeSchema(path: string): string | undefined {
  const text = `${JSON.stringify(jsonSchema(), undefined, 2)}\n`;
  const problem = trySystemCall((): undefined => {
    writeFileSync(path, text, { flag: 'wx' });
  });
  return problem === undefined ? undefined : `${path}: ${problem}`;
}

/** `workflow init`: creates a workflow file. Overwrites none, except a starter file as `init` created it. */
export async function init(io: Io, options: Options): Promise<number> {
  const { file, from } = options;
  if (file === '-') return refuse(io, ["'--file' needs a path: init creates a file"]);
  const { reference, copy } = editorSchema(file);
  const text = from === undefined ? starterFile(reference) : await convert(io, options, from, reference);
  if (typeof text === 'number') return text;
  if (from !== undefined && isStarterThere(file)) rmSync(file, { force: true });
  const problem = create(file, options.isFileNamed, text, copy);
  if (problem !== undefined) return refuse(io, [`cannot write ${redactPath(file)}: ${problem}`, 'no file was created']);
  const parsed = await readWorkflowFile(Buffer.from(text));
  const workflows = [...(parsed.file?.workflows.keys() ?? [])];
  const listed = [...(parsed.file?.workflows ?? [])].flatMap(([name, workflow]) => (workflow.private ? [] : [name]));
  const first = listed.find((name) => name === parsed.file?.default) ?? listed[0];
  if (options.format === 'text') {
    const created = [`created ${redactPath(file)}`, ...describeSchema(copy)];
    return print(io, outputLines(io, [...created, ...nextSteps(file, from === undefined, first)], []), EXIT.ok);
  }
  return printDocument(io, { file, workflows }, options, EXIT.ok);
}

function describeSchema(path: string | undefined): string[] {
  if (path === undefined) return [];
  return [`created ${redactPath(path)}, the schema for editors; it belongs in the repository`];
}

/** The commands to try next. */
function nextSteps(file: string, isNew: boolean, first: string | undefined): string[] {
  const command = (...words: readonly string[]): string => suggestedCommand(file, ...words);
  const others = isNew ? convertibleFiles('.') : [];
  return [
    ...others.map((name) => `to convert ${name} instead: ${command('init', '--from', name)}`),
    `to list the workflows: ${command('list')}`,
    ...(first === undefined ? [] : [`to run a workflow: ${command('run', first)}`]),
    'for coding agents: SKILL.md in the package of cli',
  ];
}

/** The text of a workflow file, converted from the file of another tool. Returns the exit code after printing an error. */
async function convert(io: Io, options: Options, path: string, schema: string | undefined): Promise<string | number> {
  const file = readRegular(path);
  if (!file.ok) return refuse(io, [`cannot read ${redactPath(path)}: ${file.problems.join('; ')}`]);
  const kind = importKind(path);
  if (kind === undefined) return refuse(io, [unknownKind(path)]);
  const given =
    kind === 'justfile' ? (await import('./init/importers/just/just_dump.ts')).justDump(path, file.value) : file;
  const imported = await printMessages(io, options, given.ok ? importFile(kind, path, given.value) : given);
  if (imported === undefined) return EXIT.cannotStart;
  const { text, leftOut } = await completeImport(imported, schema, !options.noFallback);
  printStderr(io, leftOut, 'cli: warning: ');
  if (text !== undefined) return text;
  printStderr(io, [`${nothingConverted(path, imported.noun, leftOut)}; no file was created`], 'cli: ');
  return EXIT.no;
}

/** Whether a path is a starter file that was not edited. A link is left alone. */
function isStarterThere(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const file = readRegular(path);
  return file.ok && isStarter(file.value.toString());
}

/**
 * Writes a new file and a copy of the schema, atomically. Returns the problem, if any. A directory that the user has not
 * named may be a link from an archive, which leads anywhere.
 */
function create(path: string, isNamed: boolean, text: string, copy: string | undefined): string | undefined {
  const directory = dirname(path);
  const opened = trySystemCall(() => {
    if (!isNamed && lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
      return `${directory} is a symbolic link; to use it, add --file ${path}`;
    }
    mkdirSync(directory, { recursive: true });
    return openSync(path, 'wx');
  });
  if (typeof opened === 'string') return opened;
  const problem = write(opened, [text]) ?? (copy === undefined ? undefined : writeSchema(copy));
  closeSync(opened);
  if (problem !== undefined) rmSync(path, { force: true });
  return problem;
}
