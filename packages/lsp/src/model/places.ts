import type { Location, Range } from 'vscode-languageserver';
import type { Place } from '../../../../src/api.ts';
import type { FoundName } from '../../../../src/internal.ts';
import type { Root, RootFile } from './workspace.ts';

type SourceRange = FoundName['range'];

/** The range of a place in a document. */
export function rangeOfPlace({ line, column, endLine, endColumn }: Omit<Place, 'file'>): Range {
  return { start: { line: line - 1, character: column - 1 }, end: { line: endLine - 1, character: endColumn - 1 } };
}

/** The range of offsets in a file. */
export function rangeIn({ part: { lines } }: RootFile, { start, end }: SourceRange): Range {
  const [from, to] = [lines.position(start), lines.position(end)];
  return rangeOfPlace({ line: from.line, column: from.column, endLine: to.line, endColumn: to.column });
}

/** The file of a root that contains an offset. */
export function fileAt({ files }: Root, offset: number): RootFile | undefined {
  return files.find(({ part: { lines } }) => lines.base <= offset && offset <= lines.base + lines.text.length);
}

export function locationOf(root: Root, range: SourceRange): Location[] {
  const file = fileAt(root, range.start);
  return file === undefined ? [] : [{ uri: file.uri, range: rangeIn(file, range) }];
}
