import { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import type { Source } from '../../../frontend/diagnostics/source.ts';
import { failure, type Failure, type Result } from '../../../base/result.ts';
import type { RenderedMessage } from './findings.ts';

/** A message for the user, as data: a line about an error, lines with a prefix, or a message to be rendered. */
export type Message =
  | string
  | Readonly<{ kind: 'lines'; prefix: '' | 'cli: ' | 'cli: warning: '; lines: readonly string[] }>
  | RenderedMessage;

/** A result, and messages that precede its problems. `--quiet` hides them. */
export type Reported<Value> = Result<Value, Message> & Readonly<{ messages?: readonly Message[] }>;

/** The errors of a file, as a failure. */
export function fileErrors(source: Source, errors: DiagnosticList): Failure<Message> {
  return failure({ kind: 'diagnostics', source, errors, warnings: new DiagnosticList() });
}
