import type { Random } from './random.ts';

/** A piece of a command, and what it stands for: the text that it becomes, or what it records. § is the reference. */
export interface Piece {
  readonly text: string;
  readonly value: string;
}

interface Recording {
  readonly text: string;
  readonly recorded: readonly string[];
}

/** Commands in which places of references are nested at random: quotes in substitutions in here-documents in … */
export class RandomCommand {
  readonly #source: Random;
  /** Whether what only bash knows may stand in them. */
  readonly #bash: boolean;
  #names = 0;

  constructor(source: Random, bash: boolean) {
    this.#source = source;
    this.#bash = bash;
  }

  /** Some commands, one after the other, and all that they record with `record` and `input`. */
  list(depth: number): Recording {
    const commands = Array.from({ length: 1 + this.#source.below(3) }, () => this.#command(depth));
    const ends = commands.map(({ text }) => (text.endsWith('\n') ? '' : this.#source.pick(['; ', '\n', ' && ', ' ;'])));
    const texts = commands.map(({ text }, index) => text + (index === commands.length - 1 ? '' : ends[index]));
    return { text: texts.join(''), recorded: commands.flatMap(({ recorded }) => recorded) };
  }

  #command(depth: number): Recording {
    const source = this.#source;
    if (depth === 0 || source.chance(0.4)) return this.#simple(depth);
    const { text: inner, recorded } = this.list(depth - 1);
    const text = inner.endsWith('\n') ? inner : `${inner}\n`;
    const word = this.#word(depth - 1);
    const name = this.#name();
    return source.pick<() => Recording>([
      () => ({ text: `{ ${text}}`, recorded }),
      () => ({ text: `( ${text})`, recorded }),
      () => ({ text: `if : ${word.text}; then ${text}fi`, recorded }),
      () => ({ text: `${name}() { ${text}}; ${name} ${word.text}`, recorded }),
      () => ({ text: `for ${name} in ${word.text} b; do ${text}done`, recorded: [...recorded, ...recorded] }),
      () => ({ text: `case ${word.text} in (no) ;; (*) ${text};; esac`, recorded }),
      () => ({ text: `case a in no|x${word.text}) no;; a) ${text};; esac`, recorded }),
      () => ({ text: `while ${text}do break; done`, recorded }),
      () => ({ text: `: ${word.text} | { ${text}}`, recorded }),
      () => ({ text: `# it's "§" (\n${text}`, recorded }),
    ])();
  }

  #simple(depth: number): Recording {
    const { text, value } = this.#word(depth);
    const name = this.#name();
    const posix: (() => Recording)[] = [
      () => ({ text: `record ${text}`, recorded: [value] }),
      () => ({ text: `record a \\\n ${text} # "§\n`, recorded: ['a', value] }),
      () => ({ text: `${name}=${text}; record "$${name}"`, recorded: [value] }),
      () => ({ text: `X=${text} recordx`, recorded: [value] }),
      () => {
        const body = this.#body(depth);
        const dash = this.#source.chance(0.2) ? '-' : '';
        const lines = `${dash && '\t'}${body.text}\n${dash && '\t'}${name}\n`;
        return { text: `input <<${dash}${name} # '\n${lines}`, recorded: [`${body.value}\n`] };
      },
      () => ({ text: `set -- ${text} ${text}; record "$@"`, recorded: [value, value] }),
    ];
    const bash: (() => Recording)[] = [
      () => ({ text: `${name}=(a ${text} [5]=${text}); record "\${${name}[@]}"`, recorded: ['a', value, value] }),
      () => ({ text: `[[ ${text} == ${text} && ! -z x${text} ]]; record x`, recorded: ['x'] }),
      () => ({ text: `input <<<${text}`, recorded: [`${value}\n`] }),
      () => ({ text: `input < <(keep ${text})`, recorded: [`${value}.`] }),
      () => ({ text: `[ 1 ] && ((1 + (2))); record ${text}`, recorded: [value] }),
    ];
    return this.#source.pick(this.#bash ? [...posix, ...bash] : posix)();
  }

  /** One word, whatever the value is. In a default no `$'…'` stands: it is refused there. */
  #word(depth: number, inDefault = false): Piece {
    const posix: (() => Piece)[] = [
      () => ({ text: '§', value: '§' }),
      () => around('"', this.#quoted(depth, false), '"'),
      () => this.#source.pick(SINGLE),
      () => this.#source.pick(PLAIN),
      () => around('${NO:-', this.#word(Math.max(0, depth - 1), true), '}'),
    ];
    const bash: (() => Piece)[] = [
      () => this.#source.pick(inDefault ? SINGLE : ANSI),
      () => around('$"', this.#quoted(depth, false), '"'),
    ];
    return this.#some(this.#bash ? [...posix, ...bash] : posix);
  }

  /** What stands in double quotes. */
  #quoted(depth: number, inBraces: boolean): Piece {
    const flat: (() => Piece)[] = [
      () => ({ text: '§', value: '§' }),
      () => this.#source.pick(inBraces ? QUOTED.slice(0, 6) : QUOTED),
    ];
    if (depth === 0) return this.#some(flat);
    return this.#some([
      ...flat,
      () => around('$(', this.#printing(depth - 1), ')'),
      () => around('${NO-', this.#quoted(depth - 1, true), '}'),
    ]);
  }

  /** What stands in a here-document; without a line break at the end. */
  #body(depth: number): Piece {
    const parts = Array.from({ length: 1 + this.#source.below(3) }, () => {
      const quote = this.#source.pick(['', '', '', '"', "'", ') ', '# ']);
      return around(quote, this.#quoted(Math.min(depth, 2), true), '');
    });
    return { text: parts.map(({ text }) => text).join('\n'), value: parts.map(({ value }) => value).join('\n') };
  }

  /** Commands that print what cannot end in a line break. */
  #printing(depth: number): Piece {
    const { text, value } = this.#word(depth);
    const name = this.#name();
    return this.#source.pick<() => Piece>([
      () => ({ text: `keep ${text}`, value: `${value}.` }),
      () => ({ text: ` (keep ${text}) `, value: `${value}.` }),
      () => ({ text: `case a in a) keep ${text};; esac`, value: `${value}.` }),
      () => ({ text: `# it's ) "\nkeep ${text}\n`, value: `${value}.` }),
      () => ({ text: `${name}=${text}; keep "$${name}" b | cat`, value: `${value}.b.` }),
      () => ({ text: `for ${name} in ${text} b; do keep "$${name}"; done`, value: `${value}.b.` }),
      () => {
        const body = this.#body(depth);
        return { text: `cat <<${name}; keep ${text}\n${body.text}\n${name}\n`, value: `${body.value}\n${value}.` };
      },
    ])();
  }

  #some(kinds: readonly (() => Piece)[]): Piece {
    const parts = Array.from({ length: 1 + this.#source.below(3) }, () => this.#source.pick(kinds)());
    return { text: parts.map(({ text }) => text).join(''), value: parts.map(({ value }) => value).join('') };
  }

  #name(): string {
    this.#names += 1;
    return `n${this.#names}`;
  }
}

function around(open: string, { text, value }: Piece, close: string): Piece {
  const isBrackets = open.includes('$') || close !== '';
  return { text: `${open}${text}${close}`, value: isBrackets ? value : open + value };
}

const PLAIN: readonly Piece[] = [
  { text: 'x', value: 'x' },
  { text: '-f=', value: '-f=' },
  { text: 'a#b', value: 'a#b' },
  { text: "\\'", value: "'" },
  { text: '\\\\', value: '\\' },
  { text: '\\"', value: '"' },
];

const SINGLE: readonly Piece[] = [
  { text: "'§'", value: '§' },
  { text: "'a \"§'", value: 'a "§' },
  { text: "'\\§`)'", value: '\\§`)' },
  { text: "'§'§", value: '§§' },
];

const ANSI: readonly Piece[] = [
  { text: "$'§'", value: '§' },
  { text: "$'\\'§\\n'", value: "'§\n" },
  { text: "$'\\\\§\"'", value: '\\§"' },
];

/** The first of them can stand in braces and here-documents too. */
const QUOTED: readonly Piece[] = [
  { text: 'a b', value: 'a b' },
  { text: '\\\\', value: '\\' },
  { text: '\\$', value: '$' },
  { text: '\\`', value: '`' },
  { text: '(#', value: '(#' },
  { text: '$ ', value: '$ ' },
  { text: '\\"', value: '"' },
  { text: "'", value: "'" },
  { text: '}', value: '}' },
];
