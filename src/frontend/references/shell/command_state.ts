import type { FoundReference } from './found_reference.ts';
import type { HereDocument } from './here_document.ts';
import type { ReferenceProblem } from './reference_problems.ts';

/** Builtins of bash that run their arguments, or take names whose subscripts they evaluate. */
const EVALUATES = /^(?:eval|let|trap|alias|unset|read|readarray|mapfile|compgen|complete|declare|typeset|local|wait)$/;

/** Those that do so with what follows one of their options. */
const HAS_OPTIONS = /^(?:test|\[|printf|readonly)$/;
const EVALUATES_NEXT = /^(?:(?:test|\[|printf) -v|readonly -\w*[aA])/;

/** Variables whose values the shell evaluates, when they are set or later. */
const VARIABLES = 'S?RANDOM|SECONDS|BASHPID|OPTIND|HISTCMD|PS[0-4]|ENV|BASH_ENV|PROMPT_COMMAND|BASH_FUNC_.*%%';
const EVALUATED = new RegExp(`^(?:${VARIABLES})$`);
const SETS_EVALUATED = new RegExp(`^(?:${VARIABLES})(?:\\[|\\+?=)`);
/** What sets variables that it is told the names of. */
const SETS = /^(?:for|select|read|readarray|mapfile|printf|getopts)$/;

/** Programs that run the word after `-c`, and what they read. */
const SHELL = /^(?:.*\/)?(?:(?:r?ba|da|a|z|k|mk|fi|c|tc|ya|po)?sh|su|runuser)$/;
const CODE_OPTION = /^(?:-[A-Za-z]*c|--command)/;

/** The subscript can hold anything. */
const ASSIGNMENT = /[A-Za-z_]\w*(?:\[|\+?=)/y;

/** As much of a word as can mean something to us. */
const BEGINNING = /[^\s;&|()<>]{0,64}/y;

/** After these words a command begins, wherever they stand: too often rather than not often enough. */
const RESERVED = /^(?:if|then|elif|else|while|until|do|time|coproc|[!{])$/;

/** In front of the name of a builtin: the last is that of a variable, in front of a redirection. */
const PREFIX = /^(?:command|builtin|-.*|\{.*\})$/;

/** The beginning of an expansion that can come to no word at all. */
const CAN_VANISH = /[$`](?!["'])|"\$(?:@|\{@|\{\w+\[@)/y;

/** Longer ones are none that mean something to us. */
const LONGEST = 64;

/** What a piece of a word is when the shell has taken its quotes away. */
function unquoted(text: string): string {
  return text.replaceAll(/\$?['"]|\\/g, '');
}

/** Whether the shell evaluates what a variable gets. */
export function isEvaluated(variable: string): boolean {
  return EVALUATED.test(variable);
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** What is known of the words of a list of commands, up to where the scanner is. */
export class CommandState {
  /** Where the current word begins; undefined between words. */
  start: number | undefined;
  /** Whether all of the current word is written without quotes and expansions. */
  plain = true;
  /** The first word of the current command, '' if it is not plain; undefined where one may begin. */
  name: string | undefined;
  /** The operator of a redirection whose word comes next. */
  redirection = '';
  /** Of `case`: where in it. */
  phase: 'subject' | 'pattern' | 'body' = 'subject';
  #previous = '';
  /** The current or last word without its quotes, '' if there are expansions in it. */
  #spelling = '';
  /** Whether the last word can come to nothing. */
  #vanishes = false;
  #codeNext = false;
  /** The last word that was asked about, by where it begins, and what was said. */
  #asked: { readonly start: number; readonly refusal: ReferenceProblem | undefined } | undefined;
  /** How many of the operands belong to words that have ended, and those of the last one of these. */
  #ended = 0;
  #last: readonly FoundReference[] = [];
  /** Of printf: whether its format has been, after which no options come. */
  #formatted = false;
  /** Whether a word of the current command is the name of a shell. */
  shell = false;
  /** The references in the current command or operand of `[[`, which something after them can forbid. */
  operands: FoundReference[] = [];
  readonly #text: string;
  /** The here-documents whose bodies follow the next line break; subshells share them. */
  readonly pending: HereDocument[];

  /** Whether what the commands print is run. */
  readonly #printsCode: boolean;

  constructor(text: string, pending: HereDocument[], printsCode: boolean) {
    this.#text = text;
    this.pending = pending;
    this.#printsCode = printsCode;
  }

  /** A part of a word begins. */
  begin(at: number, plain: boolean): void {
    this.start ??= at;
    this.plain &&= plain;
  }

  /** Ends the current word, and gives it if it is plain. */
  end(at: number): string {
    const { start = at, plain } = this;
    this.#asked = undefined;
    this.start = undefined;
    this.plain = true;
    const word = at - start <= LONGEST ? this.#text.slice(start, at) : '';
    const spelling = plain ? word : unquoted(word);
    this.#vanishes = matches(CAN_VANISH, this.#text, start);
    this.#spelling = /[$`]/.test(spelling) ? '' : spelling;
    return plain ? word : '';
  }

  /** A new command may begin. */
  separate(): void {
    this.operands = [];
    this.#ended = 0;
    this.#last = [];
    this.#formatted = false;
    this.name = undefined;
    this.redirection = '';
    this.#previous = '';
    this.#codeNext = false;
    this.shell = false;
  }

  /** A word of a command has ended, which began at an offset. */
  take(start: number): void {
    const own = this.operands.slice(this.#ended);
    this.#ended = this.operands.length;
    if (this.redirection !== '') {
      this.redirection = '';
      return;
    }
    // What comes before it may come directly before what comes after it.
    if (this.#vanishes && own.length === 0) return;
    const word = this.#spelling;
    this.#takeOptions(word, own, start);
    if (!EVALUATES.test(this.name ?? '') && !HAS_OPTIONS.test(this.name ?? '')) {
      if (RESERVED.test(word)) this.name = undefined;
      else if (!PREFIX.test(word) && !matches(ASSIGNMENT, this.#text, start)) this.name ??= word;
    }
    if (CODE_OPTION.test(word)) this.#codeNext = this.shell;
    else if (!/^[-+]/.test(word)) this.#codeNext = false;
    this.shell ||= SHELL.test(word);
    this.#previous = word;
  }

  /** Forbids values that could be the option `-v`, where what follows them can be the name that it takes. */
  #takeOptions(word: string, own: readonly FoundReference[], start: number): void {
    const { name = '' } = this;
    if (name === 'printf' && !this.#formatted) {
      for (const each of this.#last) each.problem ??= 'code';
      this.#last = own.filter((each) => /^(?:-|$)/.test(unquoted(this.#text.slice(start, each.start))));
      this.#formatted = word === '--' || (this.#last.length === 0 && !word.startsWith('-'));
    } else if (/^(?:test|\[)$/.test(name)) {
      if (this.#last.length > 0) for (const each of own) each.problem ??= 'code';
      this.#last = own;
    }
  }

  /** Whether the command makes later assignments evaluate their values, or sets a variable that is evaluated. */
  givesAttribute(): boolean {
    const { name = '' } = this;
    const word = this.#spelling;
    if (SETS.test(name) && isEvaluated(word)) return true;
    return /^(?:declare|typeset|local)$/.test(name) && /^[-+]\w*[in]/.test(word);
  }

  /** Whether what the current command reads is code. */
  get runsInput(): boolean {
    return this.shell || this.name === 'source' || this.name === '.';
  }

  /** Why the value of a reference in the current word would become code, if it would. */
  refusal(at: number): ReferenceProblem | undefined {
    const { start = at } = this;
    // A word can be asked about at each of its quotes.
    if (this.#asked?.start !== start) this.#asked = { start, refusal: this.#refusalFrom(start) };
    return this.#asked.refusal;
  }

  /** Whether the commands of a substitution, which begins at an offset, print what is run. */
  runsOutput(at: number): boolean {
    if (this.#printsCode || /^(?:eval|trap)$/.test(this.name ?? '')) return true;
    if (this.#text.charAt(at) === '<') return this.runsInput;
    return this.shell && this.redirection === '' && this.refusal(at) === 'code';
  }

  #refusalFrom(start: number): ReferenceProblem | undefined {
    const { name = '' } = this;
    if (this.#printsCode) return 'code';
    if (/^[<>]&$/.test(this.redirection)) return 'duplication';
    if (this.redirection !== '') return this.redirection === '<<<' && this.runsInput ? 'code' : undefined;
    if (EVALUATES.test(name)) return 'code';
    BEGINNING.lastIndex = start;
    // Quotes can open in front of all of it.
    const begun = unquoted(BEGINNING.exec(this.#text)?.[0] ?? '');
    if (HAS_OPTIONS.test(name) && [this.#previous, begun].some((each) => EVALUATES_NEXT.test(`${name} ${each}`))) {
      return 'code';
    }
    const isCode = this.shell && (this.#codeNext || CODE_OPTION.test(begun));
    return isCode || SETS_EVALUATED.test(begun) ? 'code' : undefined;
  }
}
