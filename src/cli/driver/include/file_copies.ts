import { parsing, type FileSyntax, type Reading } from '../../../frontend/parse.ts';
import { Member, type JsonNode } from '../../../frontend/syntax/json_tree.ts';
import { LineIndex } from '../../../frontend/syntax/line_index.ts';
import { failure, type Failure, type Result } from '../../../base/result.ts';
import { SIZE_LIMIT, type FileBytes } from '../read_file.ts';

/** Maximum size of all copies of included files, in bytes. A checked copy takes about 16 times as much memory. */
const COPIES_LIMIT = 4 * SIZE_LIMIT;

/**
 * The files of one tree of includes, each of which is read and parsed once. All files together have the limit of a single
 * file. Every inclusion is a copy.
 */
export class FileCopies {
  readonly #files = new Map<string, Readonly<{ first: FileSyntax; size: number }>>();
  /** The size of all files, in bytes. */
  #size: number;
  /** The size of all copies, in bytes. */
  #copied = 0;

  /** `size` is that of the root file. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Whether a file has exceeded a limit. */
  get isFull(): boolean {
    return this.#size > SIZE_LIMIT || this.#copied > COPIES_LIMIT;
  }

  /** The syntax of the file with a real path, with offsets that start at `base`. */
  *at(real: string, base: number, read: () => FileBytes): Reading<Result<FileSyntax>> {
    const known = this.#files.get(real);
    if (known !== undefined) return this.#count(0, known.size) ?? { ok: true, value: moved(known.first, base) };
    const bytes = read();
    if (!bytes.ok) return bytes;
    const size = bytes.value.length;
    const problem = this.#count(size, size);
    if (problem !== undefined) return problem;
    const first = yield* parsing(bytes.value, base);
    this.#files.set(real, { first, size });
    return { ok: true, value: first };
  }

  /** Adds to the sizes; returns the problem of the file that exceeds a limit. */
  #count(size: number, copied: number): Failure | undefined {
    this.#size += size;
    this.#copied += copied;
    if (!this.isFull) return undefined;
    return this.#size > SIZE_LIMIT
      ? failure(`with it, the file and its includes have more than ${SIZE_LIMIT} bytes (16 MiB)`)
      : failure(`with it, all copies of the included files have more than ${COPIES_LIMIT} bytes (64 MiB)`);
  }
}

/** The syntax of a copy of a file, with offsets that start at `base`. */
function moved({ parts, lines, syntax }: FileSyntax, base: number): FileSyntax {
  const by = base - lines.base;
  return {
    parts,
    lines: new LineIndex(lines.text, base),
    syntax: syntax.ok
      ? { ok: true, value: movedNode(syntax.value, by) }
      : {
          ok: false,
          problems: syntax.problems.map(({ problem, range }) => {
            return { problem, range: { start: range.start + by, end: range.end + by } };
          }),
        },
  };
}

function movedNode(node: JsonNode, by: number): JsonNode {
  const range = { start: node.start + by, end: node.end + by };
  if (node.kind === 'array') return { ...node, ...range, items: node.items.map((item) => movedNode(item, by)) };
  if (node.kind !== 'object') return { ...node, ...range };
  const members = node.members.map(({ key, start, end, value }) => {
    const member = new Member(key, start + by, end + by);
    member.value = movedNode(value, by);
    return member;
  });
  return { ...node, ...range, members };
}
