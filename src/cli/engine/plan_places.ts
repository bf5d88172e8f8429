import type { WorkflowFile } from '../../frontend/ast.ts';
import { renderCodeFrames } from '../../frontend/diagnostics/code_frame.ts';
import { DiagnosticList, type StepNumber } from '../../frontend/diagnostics/diagnostic.ts';
import type { Source } from '../../frontend/diagnostics/source.ts';
import { lookupsOfOp } from '../../ir/ops.ts';
import type { Plan } from '../../ir/plan.ts';
import type { PreparedRun } from '../driver/prepare_run.ts';
import { referringTexts, type FilePlace } from '../../frontend/lint/scopes.ts';

/** A text that refers to variables: its field, its workflow and step, and the lines of the file that errors show. */
export type ReferringText = Readonly<{
  field: string;
  workflow: string;
  step: StepNumber | null;
  shown: readonly string[];
}>;

/** The position of an offset of a plan. */
export type Place = readonly [offset: number, file: string, line: number, column: number, text?: ReferringText];

/** A prepared run with its file. */
export type PreparedFile = PreparedRun & Readonly<{ file: WorkflowFile; source: Source }>;

/**
 * The positions of all offsets of a plan: those of its ops, and those of texts that refer to variables, which may have
 * no value on another machine.
 */
export function placesOf({ written, file, source, position }: PreparedFile): readonly Place[] {
  const place = (offset: number, text?: ReferringText): Place => {
    const { file: path, line, column } = position(offset);
    return text === undefined ? [offset, path, line, column] : [offset, path, line, column, text];
  };
  const ops = new Set(written.ops.map(({ offset }) => offset));
  const lookups = lookupOffsets(written);
  const texts = lookups.size === 0 ? [] : [...referringTexts(file)].filter(({ range }) => lookups.has(range.start));
  return [
    ...Array.from(ops, (offset) => place(offset)),
    ...texts.map((text) => place(text.range.start, referringText(text, source))),
  ];
}

function lookupOffsets({ frames, calls, ops, secrets = [] }: Plan): ReadonlySet<number> {
  const values = frames.flatMap(({ vars }) => vars.flatMap(([, , , lookups = []]) => lookups));
  const texts = ops.flatMap((op) => lookupsOfOp(op));
  const locks = calls.flatMap(({ lock }) => lock?.lookups ?? []);
  const programs = secrets.flatMap(({ source }) => source?.lookups ?? []);
  return new Set([...values, ...texts, ...locks, ...programs].map(({ offset }) => offset));
}

function referringText({ field, owner, range }: FilePlace, source: Source): ReferringText {
  const list = new DiagnosticList();
  // Only the lines below the message are kept, which are the same for every error there.
  const error = { code: 'unresolved variable', field, variable: '', problem: 'unset', known: [] } as const;
  list.add({ severity: 'error', owner, range, ...error });
  const [, ...shown] = renderCodeFrames(list, source);
  return { field, workflow: owner.workflow, step: owner.step ?? null, shown };
}
