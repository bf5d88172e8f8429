import { relative } from 'node:path';
import { escapeForTerminal } from './escape.ts';

/** The position of an annotation, and its title, if any. `file` is absolute. */
type AnnotationPlace = Readonly<{ file: string; line: number; column: number; title?: string }>;

/**
 * An annotation of GitHub Actions; paths are relative to `workspace`.
 * See https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function annotation(
  level: 'error' | 'warning',
  message: string,
  workspace: string | undefined,
  place?: AnnotationPlace,
): string {
  const text = escapeData(escapeForTerminal(message));
  if (place === undefined) return `::${level}::${text}\n`;
  const { file, line, column, title } = place;
  const path = escapeProperty(pathInRepository(file, workspace));
  const heading = title === undefined ? '' : `,title=${escapeProperty(escapeForTerminal(title))}`;
  return `::${level} file=${path},line=${line},col=${column}${heading}::${text}\n`;
}

/** An absolute path, made relative to the root of the repository as CI services expect. */
export function pathInRepository(file: string, repository: string | undefined): string {
  return relative(repository || '.', file);
}

/** The data of a GitHub workflow command, after its second `::`; GitHub decodes exactly these characters. */
export function escapeData(text: string): string {
  return text.replace(/[%\r\n]/g, encodeURIComponent);
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/[:,]/g, encodeURIComponent);
}
