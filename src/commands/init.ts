import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { write } from '../backend/system/write.ts';
import { decode } from '../frontend/syntax/decode.ts';
import { readWorkflowFile } from '../frontend/parse.ts';
import { parseSyntax } from '../frontend/syntax/json_tree.ts';
import { trySystemCall } from '../backend/system/try_system_call.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, refuse, say, type Io } from '../output/io.ts';
import { fromScripts, STARTER, type Script } from './starter_file.ts';

/** `workflow init`: creates a workflow file. Never overwrites one. */
export async function init(io: Io, options: Options): Promise<number> {
  const { file, values } = options;
  if (file === '-') return refuse(io, ["'--file' needs a path: init creates a file"]);
  const from = values.get('from');
  const text = from === undefined ? STARTER : convert(io, from);
  if (text === undefined) return EXIT.cannotStart;
  const problem = create(file, text);
  if (problem !== undefined) return refuse(io, [`cannot write ${file}: ${problem}`, 'no file was created']);
  const parsed = await readWorkflowFile(Buffer.from(text));
  return printDocument(io, { file, workflows: [...(parsed.file?.workflows.keys() ?? [])] }, options, EXIT.ok);
}

/** The text of a workflow file for the scripts of a package.json; undefined after an error, which has been printed. */
function convert(io: Io, path: string): string | undefined {
  const read = trySystemCall(() => readFileSync(path));
  if (typeof read === 'string') return say(io, [`cannot read ${path}: ${read}`], 'cli: ');
  const syntax = parseSyntax(decode(read).text);
  const root = syntax.ok && syntax.root.kind === 'object' ? syntax.root : undefined;
  const found = root?.members.find(({ key }) => key === 'scripts')?.value;
  if (found?.kind !== 'object') return say(io, [`${path} has no scripts`], 'cli: ');
  const scripts = found.members.flatMap(({ key, value }): Script[] => {
    return value.kind === 'string' ? [{ name: key, command: value.value }] : [];
  });
  const { text, leftOut } = fromScripts(scripts);
  say(io, leftOut, 'cli: warning: ');
  return text;
}

/** Writes a new file, whole or not at all; returns the problem, if any. */
function create(path: string, text: string): string | undefined {
  const opened = trySystemCall(() => {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'wx');
  });
  if (typeof opened === 'string') return opened;
  const problem = write(opened, [text]);
  closeSync(opened);
  if (problem !== undefined) rmSync(path, { force: true });
  return problem;
}
