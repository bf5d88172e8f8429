import { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import type { Source } from '../../../frontend/diagnostics/source.ts';
import { failure, type Failure, type Result } from '../../../base/result.ts';
import type { RenderedMessage, AnnotatedFinding } from './findings.ts';
import { escapeLines } from '../escape.ts';
import { renderDiagnostics } from './render_diagnostics.ts';

/** The lines of a message, for a reader that is no terminal. */
export function messageLines(message: Message): readonly string[] {
  if (typeof message === 'string') return [message];
  switch (message.kind) {
    case 'lines':
      return message.lines.map((line) => `${message.prefix.replace('cli: ', '')}${line}`);
    case 'diagnostics':
      return renderDiagnostics(message);
    case 'findings':
      return message.findings.map(findingLine);
    case 'unnamed':
      return [`the name of the workflow is missing; the workflows are in ${message.path}`];
  }
}

/** Messages as standard error has them. */
export function printedMessages(messages: readonly Message[]): string {
  return messages
    .map((message) => {
      if (typeof message === 'string') return escapeLines([message], 'cli: ');
      return message.kind === 'lines'
        ? escapeLines(message.lines, message.prefix)
        : escapeLines(messageLines(message), '');
    })
    .join('');
}

/** A finding as a line. */
export function findingLine({ severity, file, line, column, workflow, message }: AnnotatedFinding): string {
  return `${file}:${line}:${column}: ${severity}: workflow '${workflow}': ${message}`;
}

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
