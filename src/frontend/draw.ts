import type { Diagnostic, Findings, Range, Warning } from './diagnostic.ts';
import type { Lines } from './lines.ts';
import { message, warningMessage } from './message.ts';
import { secretRanges } from './secret_ranges.ts';

/** What drawing needs to know beside the findings. */
export interface Drawing {
  /** How the file is called in front of a place. */
  readonly path: string;
  readonly lines: Lines;
  /** Whether a variable's name says that its value is secret. */
  readonly isSecret: (name: string) => boolean;
}

/** At most this many columns of a source line are shown around the place. */
const WIDTH = 100;

/** Errors for people: `file:line:column: error: …`, the source line, and a mark under the place. */
export function drawErrors(errors: Findings<Diagnostic>, drawing: Drawing): string[] {
  const texts = errors.items.map((error) => ({
    ...error,
    text: `error: ${inWorkflow(error.place.workflow)}${message(error, drawing.lines)}`,
  }));
  return [...draw(texts, drawing), ...more(errors.omitted, 'error')];
}

/** Warnings for people, drawn as errors are. */
export function drawWarnings(warnings: Findings<Warning>, drawing: Drawing): string[] {
  const texts = warnings.items.map((warning) => ({
    ...warning,
    text: `warning: ${inWorkflow(warning.place.workflow)}${warningMessage(warning)}`,
  }));
  return [...draw(texts, drawing), ...more(warnings.omitted, 'warning')];
}

function inWorkflow(workflow: string): string {
  return workflow === '' ? '' : `workflow '${workflow}': `;
}

function more(omitted: number, noun: string): string[] {
  return omitted === 0 ? [] : [`and ${omitted} more ${noun}${omitted === 1 ? '' : 's'}`];
}

function draw(findings: readonly { range: Range; text: string }[], drawing: Drawing): string[] {
  if (findings.length === 0) return [];
  const { lines, path } = drawing;
  const text = hideSecrets(lines.text, secretRanges(lines.text, drawing.isSecret));
  return findings.flatMap((finding) => {
    const { line, column } = lines.position(finding.range.start);
    const heading = `${path}:${line}:${column}: ${finding.text}`;
    const span = lines.span(line);
    if (span.start === span.end) return [heading];
    const from = Math.max(span.start, finding.range.start - WIDTH / 2);
    const shown = text.slice(from, Math.min(span.end, from + WIDTH)).replaceAll('\t', ' ');
    const gutter = String(line).padStart(5);
    const before = finding.range.start - from;
    const length = Math.min(finding.range.end, span.end, from + WIDTH) - finding.range.start;
    return [
      heading,
      `${gutter} | ${shown}`,
      `${' '.repeat(gutter.length)} | ${' '.repeat(before)}${'^'.repeat(Math.max(1, length))}`,
    ];
  });
}

/** Keeps every offset where it was, so that places still fit. */
function hideSecrets(text: string, secrets: readonly Range[]): string {
  if (secrets.length === 0) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of secrets) {
    pieces.push(text.slice(at, start), '*'.repeat(end - start));
    at = end;
  }
  return pieces.join('') + text.slice(at);
}
