/** A fenced block of a Markdown text. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of the first line of the text, from 1. */
  readonly line: number;
}

/** A shell session in a Markdown text, with its files. */
export interface Session {
  readonly block: Block;
  /** The files shown above the session since the last heading, by path. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Markdown {
  readonly blocks: readonly Block[];
  readonly sessions: readonly Session[];
  /** The texts of all headings. */
  readonly headings: readonly string[];
  /** The targets of all links. */
  readonly links: readonly string[];
}

/** Languages of files that a session may use. The first line of a file is a comment with its path. */
export const FILES: ReadonlySet<string> = new Set(['jsonc', 'js', 'python']);

/** The language of a session. Lines that begin with `$ ` are commands, and the others their output. */
export const SESSION = 'console';

export function parseMarkdown(markdown: string): Markdown {
  const blocks: Block[] = [];
  const sessions: Session[] = [];
  const headings: string[] = [];
  const links: string[] = [];
  let files: Record<string, string> = {};
  let open: { language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line)?.[1];
    if (open === undefined) {
      if (fence !== undefined) open = { language: fence, line: index + 2, lines: [] };
      const heading = /^#+ (.*)$/.exec(line)?.[1];
      if (heading !== undefined) {
        headings.push(heading);
        files = {};
      }
      links.push(...[...line.matchAll(/\]\(([^)]+)\)/g)].flatMap(([, target]) => target ?? []));
    } else if (fence === undefined) open.lines.push(line);
    else {
      const { language, line: start, lines } = open;
      const block = { language, line: start, text: lines.map((each) => `${each}\n`).join('') };
      blocks.push(block);
      if (language === SESSION) sessions.push({ block, files });
      if (FILES.has(language)) files = { ...files, [pathOf(block)]: block.text };
      open = undefined;
    }
  }
  return { blocks, sessions, headings, links };
}

function pathOf({ text, line }: Block): string {
  const path = /^(?:\/\/|#) (\S+)\n/.exec(text)?.[1];
  if (path === undefined) throw new Error(`line ${line}: the first line must be a comment with a path`);
  return path;
}

/** The commands of a session. */
export function commandsOf({ block }: Session): readonly string[] {
  const lines = block.text.split('\n').filter((line) => line.startsWith('$ '));
  return lines.map((line) => line.slice('$ '.length));
}

/**
 * A shell script that prints a session like a terminal: each command after a `$ `, followed by its output on both streams.
 */
export function sessionScript(session: Session): string {
  return [
    'exec 2>&1',
    'status=0',
    ...commandsOf(session).flatMap((command) => [
      `printf '%s\\n' '${`$ ${command}`.replaceAll("'", String.raw`'\''`)}'`,
      '(exit $status)',
      command,
      'status=$?',
    ]),
    '',
  ].join('\n');
}

/** The fragment of a heading in links of GitHub. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
