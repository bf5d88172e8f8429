import type { SourceRange } from '../syntax/source_range.ts';
import type { TextNode } from '../syntax/json_tree.ts';
import type { LineIndex } from '../syntax/line_index.ts';

/** A text of a file: a string, or the lines of a script. Finds the places of its parts in the file. */
export class FileText {
  readonly text: string;
  readonly nodes: readonly TextNode[];
  readonly #lines: LineIndex;

  constructor(nodes: readonly TextNode[], lines: LineIndex) {
    this.nodes = nodes;
    this.#lines = lines;
    this.text = nodes.map(({ value }) => value).join('\n');
  }

  /** The range in the file of a part of the text that lies in one string. */
  rangeOf(start: number, end: number): SourceRange {
    let before = 0;
    for (const node of this.nodes) {
      if (end <= before + node.value.length) return rangeInString(node, this.#lines, start - before, end - before);
      before += node.value.length + 1;
    }
    throw new Error('the part is not in the text');
  }
}

/** The range in the file of a part of a string, between its quotes. */
export function rangeInString(node: SourceRange, lines: LineIndex, start: number, end: number): SourceRange {
  const written = lines.slice(node.start, node.end);
  const first = node.start + 1;
  if (!written.includes('\\')) return { start: first + start, end: first + end };
  const offsets = offsetsIn(written);
  return { start: node.start + (offsets[start] ?? 1), end: node.start + (offsets[end] ?? written.length - 1) };
}

/** The offset at which each character of a JSON string is written, and of the closing quote. Takes UTF-16 units. */
function offsetsIn(written: string): readonly number[] {
  const offsets: number[] = [];
  for (const { index } of written.matchAll(/\\u[0-9A-Fa-f]{4}|\\[^]|[^]/g)) if (index > 0) offsets.push(index);
  return offsets;
}
