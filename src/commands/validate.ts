import type { Diagnostic, Findings } from '../frontend/diagnostic.ts';
import { drawErrors, drawWarnings } from '../frontend/draw.ts';
import { message } from '../frontend/message.ts';
import type { Parsed } from '../frontend/parse.ts';
import type { WorkflowFile } from '../frontend/workflow_file.ts';
import { countOperations, operationsText, OPERATION_LIMIT } from '../ir/size.ts';
import { printDocument, type Layout } from './document.ts';
import { EXIT, say, type Io } from './io.ts';
import { load } from './load.ts';

export interface ValidateOptions extends Layout {
  readonly file: string;
}

/** `workflow validate`: every error of a file, as a document and, with places, for people. */
export function validate(io: Io, options: ValidateOptions): number {
  const loaded = load(io, options.file);
  if (loaded === undefined) return EXIT.cannotStart;
  const { parsed, drawing } = loaded;
  const errors = allErrors(parsed);
  say(io, drawErrors(errors, drawing));
  say(io, drawWarnings(parsed.warnings, drawing));
  const valid = errors.items.length === 0;
  const document = {
    valid,
    errors: [
      ...errors.items.map((error) => ({
        workflow: error.place.workflow,
        message: message(error, drawing.lines),
      })),
      ...(errors.omitted === 0
        ? []
        : [{ workflow: '', message: `and ${errors.omitted} more errors` }]),
    ],
  };
  return printDocument(io, document, options, valid ? EXIT.ok : EXIT.no);
}

function allErrors(parsed: Parsed): Findings<Diagnostic> {
  return parsed.kind === 'valid' ? tooLarge(parsed.file) : parsed.errors;
}

/** The workflows that no run could expand. Only counted where no call leads in a circle. */
function tooLarge(file: WorkflowFile): Findings<Diagnostic> {
  const count = countOperations(file);
  const items: Diagnostic[] = [];
  for (const [workflow, { range }] of file.workflows) {
    const operations = count(workflow);
    if (operations <= OPERATION_LIMIT) continue;
    const fault = { operations: operationsText(operations), limit: OPERATION_LIMIT };
    items.push({ code: 'too large', ...fault, place: { workflow }, range });
  }
  return { items: items.slice(0, 1000), omitted: Math.max(0, items.length - 1000) };
}
