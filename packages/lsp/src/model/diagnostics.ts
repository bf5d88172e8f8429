import { resolve } from 'node:path';
import { DiagnosticSeverity, type CodeAction, type Diagnostic } from 'vscode-languageserver-types';
import { diagnosticsOf, fixOf, loadedProject, type DetailedDiagnostic } from '../../../../src/internal.ts';
import { fileAt, rangeIn, rangeOfPlace, type Root, type Workspace } from './workspace.ts';

/** A diagnostic of a document, with the data that it was made of. */
type RootDiagnostic = Readonly<{ uri: string; diagnostic: Diagnostic; detailed: DetailedDiagnostic }>;

const known = new WeakMap<Root, readonly RootDiagnostic[]>();

/** The diagnostics of a root, as `cli validate` finds them. They are found once per project. */
export function rootDiagnostics(root: Root, workspace: Workspace): readonly RootDiagnostic[] {
  const found = known.get(root) ?? findDiagnostics(root, workspace);
  known.set(root, found);
  return found;
}

function findDiagnostics(root: Root, workspace: Workspace): readonly RootDiagnostic[] {
  return diagnosticsOf(loadedProject(root.project), { strict: false, portable: workspace.isPortable }).map(
    (detailed) => {
      const { file, severity, code, message } = detailed.diagnostic;
      const shown = root.files.find(({ part }) => part.path === file);
      const uri = shown?.uri ?? workspace.uriOf(resolve(root.folder, file));
      const level = severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning;
      const diagnostic = { range: rangeOfPlace(detailed.diagnostic), severity: level, code, source: 'cli', message };
      return { uri, diagnostic, detailed };
    },
  );
}

/** The diagnostics of all roots by document, each once. Files without any have an empty list. */
export function diagnosticsByUri(workspace: Workspace): ReadonlyMap<string, readonly Diagnostic[]> {
  const all = new Map<string, Map<string, Diagnostic>>();
  for (const root of workspace.roots) for (const { uri } of root.files) all.set(uri, new Map());
  for (const { document } of workspace.open) all.set(document.uri, new Map());
  for (const root of workspace.roots) {
    for (const { uri, diagnostic } of rootDiagnostics(root, workspace)) {
      const own = all.get(uri) ?? new Map<string, Diagnostic>();
      own.set(JSON.stringify(diagnostic), diagnostic);
      all.set(uri, own);
    }
  }
  return new Map([...all].map(([uri, own]) => [uri, [...own.values()]]));
}

/** The corrections of diagnostics of a document that touch a range of lines. */
export function codeActions(workspace: Workspace, uri: string, first: number, last: number): CodeAction[] {
  const actions = new Map<string, CodeAction>();
  for (const root of workspace.roots) {
    for (const { uri: own, diagnostic, detailed } of rootDiagnostics(root, workspace)) {
      const { start, end } = diagnostic.range;
      if (own !== uri || end.line < first || start.line > last || detailed.found === null) continue;
      const file = fileAt(root, detailed.found.range.start);
      const fix = file && fixOf(detailed.found, file.part.lines);
      if (file === undefined || fix === undefined) continue;
      const changes = { [uri]: [{ range: rangeIn(file, fix.range), newText: fix.text }] };
      const action = {
        title: fix.title,
        kind: 'quickfix',
        diagnostics: [diagnostic],
        isPreferred: true,
        edit: { changes },
      };
      actions.set(JSON.stringify(action), action);
    }
  }
  return [...actions.values()];
}
