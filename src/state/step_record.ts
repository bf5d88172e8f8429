import * as v from 'valibot';
import type { Variable } from '../ir/plan.ts';
import type { FileState } from './file_states.ts';

/** The version of the format. A record of another one is none. */
const VERSION = 1;

/** The digests of what a step is, as in the file. */
export const PRINTS = ['command', 'dir', 'outputs', 'sources', 'generates'] as const;

/** The states of files by their paths, which are relative to the current directory where that is possible. */
export type Files = ReadonlyMap<string, FileState>;

/**
 * A success of a step: the digests of what it was, of its variables by name, of the outputs that its command refers to and
 * of its arguments (null if it uses none); the files that it read, as they were before, and made; and its outputs.
 */
export type StepRecord = Readonly<{
  print: Readonly<Record<(typeof PRINTS)[number], string>>;
  vars: readonly Variable[];
  reads: string;
  args: string | null;
  sources: Files;
  generated: Files;
  outputs: readonly Variable[];
}>;

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number');

/** Lists of equal length, without a schema for each item: there can be many. `stamps` has five numbers for each file. */
const FileLists = v.object({
  paths: v.custom<string[]>(isStrings),
  contents: v.custom<string[]>(isStrings),
  stamps: v.custom<number[]>(isNumbers),
});

const Pairs = v.array(v.tuple([v.string(), v.string()]));

const Shape = v.object({
  version: v.literal(VERSION),
  print: v.object({
    command: v.string(),
    dir: v.string(),
    outputs: v.string(),
    sources: v.string(),
    generates: v.string(),
  }),
  vars: Pairs,
  reads: v.string(),
  args: v.nullable(v.string()),
  outputs: Pairs,
  sources: FileLists,
  generated: FileLists,
});

export function recordText(record: StepRecord): string {
  const { sources, generated, ...others } = record;
  return `${JSON.stringify({ version: VERSION, ...others, sources: lists(sources), generated: lists(generated) })}\n`;
}

/** Undefined for a damaged record, and for one of another version. */
export function readRecord(text: string): StepRecord | undefined {
  // A record that was cut has no end.
  if (!text.endsWith('}\n')) return undefined;
  const { success, output } = v.safeParse(Shape, parsed(text));
  if (!success) return undefined;
  const [sources, generated] = [filesIn(output.sources), filesIn(output.generated)];
  if (sources === undefined || generated === undefined) return undefined;
  const { version: _version, ...others } = output;
  return { ...others, sources, generated };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A damaged record is none.
    return undefined;
  }
}

type Lists = v.InferOutput<typeof FileLists>;

function lists(files: Files): Lists {
  const [paths, contents, stamps]: [string[], string[], number[]] = [[], [], []];
  for (const [path, { content, executable, stamp }] of files) {
    paths.push(path);
    contents.push(content);
    stamps.push(Number(executable), ...(stamp ?? [-1, 0, 0, 0]));
  }
  return { paths, contents, stamps };
}

/** The number of stamps for each file. */
const STRIDE = 5;

function filesIn({ paths, contents, stamps }: Lists): Files | undefined {
  if (contents.length !== paths.length || stamps.length !== paths.length * STRIDE) return undefined;
  const files = new Map<string, FileState>();
  for (const [index, path] of paths.entries()) {
    const at = index * STRIDE;
    const [executable, size = -1, modified = 0, changed = 0, inode = 0] = stamps.slice(at, at + STRIDE);
    const stamp = size < 0 ? null : ([size, modified, changed, inode] as const);
    files.set(path, { content: contents[index] ?? '', executable: executable === 1, stamp });
  }
  return files;
}
