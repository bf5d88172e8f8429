import type { Range } from 'vscode-languageserver';
import { rootDiagnostics } from '../model/diagnostics.ts';
import type { Root, RootFile, Workspace } from '../model/workspace.ts';

/** A change of a file. `start` and `end` are offsets into its text. */
export type FileEdit = Readonly<{ file: RootFile; start: number; end: number; text: string; range: Range }>;

/** The maximum number of errors in the reason for a refusal. */
const SHOWN = 3;

/** The first errors that edits would add to any of the roots; undefined if they add none. */
export function newErrors(
  workspace: Workspace,
  roots: readonly Root[],
  edits: readonly FileEdit[],
): string | undefined {
  const texts = new Map<string, string>();
  for (const { file } of edits) {
    const own = edits.filter((edit) => edit.file.path === file.path);
    if (!texts.has(file.path)) texts.set(file.path, applied(file.part.lines.text, own));
  }
  return roots
    .map((root) => newError(workspace, root, workspace.edited(root, texts)))
    .find((error) => error !== undefined);
}

/** A text with edits that do not overlap. */
function applied(text: string, edits: readonly FileEdit[]): string {
  let end = 0;
  const sorted = edits.toSorted((one, other) => one.start - other.start);
  const parts = sorted.map((edit) => {
    const part = `${text.slice(end, edit.start)}${edit.text}`;
    end = edit.end;
    return part;
  });
  return [...parts, text.slice(end)].join('');
}

function newError(workspace: Workspace, before: Root, after: Root): string | undefined {
  const known = errorsOf(workspace, before);
  const found = errorsOf(workspace, after);
  const count = (errors: typeof known, key: string): number => errors.filter((error) => error.key === key).length;
  const more = found.filter(({ key }) => count(found, key) > count(known, key));
  const messages = new Set(known.map(({ message }) => message));
  const fresh = more.filter(({ message }) => !messages.has(message));
  const shown = new Set((fresh.length > 0 ? fresh : more).map(({ message }) => message));
  return shown.size === 0 ? undefined : [...shown].slice(0, SHOWN).join('; ');
}

/** The errors of a root. Errors with one key are alike, whatever names their messages have. */
function errorsOf(workspace: Workspace, root: Root): readonly Readonly<{ key: string; message: string }>[] {
  return rootDiagnostics(root, workspace).flatMap(({ detailed: { diagnostic } }) => {
    const { file, code, severity, message } = diagnostic;
    return severity === 'error' ? [{ key: `${file} ${code}`, message }] : [];
  });
}
