import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { write } from '../backend/system/write.ts';
import { FILE } from '../frontend/check/file_checker.ts';
import { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import { parseJsonFile, readWorkflowFile } from '../frontend/parse.ts';
import { mentionsSecret } from '../ir/mask.ts';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, refuse, say, type Io } from '../output/io.ts';
import { printDiagnostics } from '../driver/load.ts';
import { readRegular } from '../driver/read_file.ts';
import { redactPath } from '../command_line/redact.ts';
import { editorSchema, writeSchema } from './init/editor_schema.ts';
import { fromScripts, starterFile, type Script } from './init/starter_file.ts';

/** `workflow init`: creates a workflow file. Never overwrites one. */
export async function init(io: Io, options: Options): Promise<number> {
  const { file, values } = options;
  if (file === '-') return refuse(io, ["'--file' needs a path: init creates a file"]);
  const from = values.get('from');
  const { reference, copy } = editorSchema(file);
  const text = from === undefined ? starterFile(reference) : await convert(io, options, from, reference);
  if (text === undefined) return EXIT.cannotStart;
  const problem = create(file, text, copy);
  if (problem !== undefined) return refuse(io, [`cannot write ${redactPath(file)}: ${problem}`, 'no file was created']);
  const parsed = await readWorkflowFile(Buffer.from(text));
  return printDocument(io, { file, workflows: [...(parsed.file?.workflows.keys() ?? [])] }, options, EXIT.ok);
}

/** The text of a workflow file for the scripts of a package.json; undefined after an error, which has been printed. */
async function convert(
  io: Io,
  options: Options,
  path: string,
  schema: string | undefined,
): Promise<string | undefined> {
  const file = readRegular(path);
  if (!file.ok) return say(io, [`cannot read ${redactPath(path)}: ${file.problem}`], 'cli: ');
  const { lines, syntax } = parseJsonFile(file.bytes);
  if (!syntax.ok) {
    const errors = new DiagnosticList();
    errors.add({ severity: 'error', code: 'syntax', problem: syntax.problem, owner: FILE, range: syntax.range });
    const source = { path, lines, hidden: [], isSecret: mentionsSecret };
    return printDiagnostics(io, options, { errors, warnings: new DiagnosticList(), source });
  }
  const members = syntax.root.kind === 'object' ? syntax.root.members : [];
  const scripts = members.find(({ key }) => key === 'scripts')?.value;
  if (scripts?.kind !== 'object') return say(io, [`${path} has no scripts`], 'cli: ');
  const { text, leftOut } = fromScripts(
    scripts.members.flatMap(({ key, value }): Script[] => {
      return value.kind === 'string' ? [{ name: key, command: value.value }] : [];
    }),
    schema,
  );
  say(io, leftOut, 'cli: warning: ');
  return text;
}

/** Writes a new file, whole or not at all, and a copy of the schema; returns the problem, if any. */
function create(path: string, text: string, copy: string | undefined): string | undefined {
  const opened = trySystemCall(() => {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'wx');
  });
  if (typeof opened === 'string') return opened;
  const problem = write(opened, [text]) ?? (copy === undefined ? undefined : writeSchema(copy));
  closeSync(opened);
  if (problem !== undefined) rmSync(path, { force: true });
  return problem;
}
