import * as v from 'valibot';
import type { Variable } from '../../ir/plan.ts';
import { parseJson } from '../journal/parse_json.ts';
import { FileTable } from './file_table.ts';

/** The version of the format. A record of another one is none. */
const VERSION = 2;

/** The digests of what a step is, as in the file. */
export const PRINTS = ['command', 'dir', 'outputs', 'sources', 'generates'] as const;

/**
 * A success of a step: the digests of what it was, of its variables by name, of the outputs that its command refers to and
 * of its arguments (null if it uses none); the files that it read, as they were before, and made; and its outputs.
 */
export type StepRecord = Readonly<{
  print: Readonly<Record<(typeof PRINTS)[number], string>>;
  vars: readonly Variable[];
  reads: string;
  args: string | null;
  sources: FileTable;
  generated: FileTable;
  outputs: readonly Variable[];
}>;

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number');

/** The columns of a table of files, without a schema for each item: there can be many. */
const Columns = v.object({
  paths: v.custom<string[]>(isStrings),
  contents: v.custom<string[]>(isStrings),
  stamps: v.custom<number[]>(isNumbers),
});

const Pairs = v.array(v.tuple([v.string(), v.string()]));

const Shape = v.object({
  version: v.literal(VERSION),
  print: v.object(v.entriesFromList(PRINTS, v.string())),
  vars: Pairs,
  reads: v.string(),
  args: v.nullable(v.string()),
  outputs: Pairs,
  sources: Columns,
  generated: Columns,
});

export function recordText(record: StepRecord): string {
  const { sources, generated, ...others } = record;
  return `${JSON.stringify({ version: VERSION, ...others, sources, generated })}\n`;
}

/** Undefined for a damaged record, and for one of another version. */
export function readRecord(text: string): StepRecord | undefined {
  // A record that was cut has no end.
  if (!text.endsWith('}\n')) return undefined;
  const { success, output } = v.safeParse(Shape, parseJson(text));
  if (!success) return undefined;
  const [sources, generated] = [tableOf(output.sources), tableOf(output.generated)];
  const { version: _version, ...others } = output;
  return sources.isWhole && generated.isWhole ? { ...others, sources, generated } : undefined;
}

function tableOf({ paths, contents, stamps }: v.InferOutput<typeof Columns>): FileTable {
  return new FileTable(paths, contents, stamps);
}
