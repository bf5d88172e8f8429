import type { Found } from './found.ts';
import type { HereDocument } from './here_document.ts';
import type { ReferenceProblem } from './reference_problems.ts';

/** Builtins of bash that run their arguments, or take names whose subscripts they evaluate. */
const EVALUATES = /^(?:eval|let|trap|alias|unset|read|readarray|mapfile|compgen|complete|declare|typeset|local)$/;

/** The same for what follows one of their options. */
const EVALUATES_NEXT = /^(?:(?:test|\[|printf) -v|wait -\w*p|readonly -\w*[aA])/;

/** Variables whose values the shell evaluates, when they are set or later. */
const EVALUATED = /["']?(?:S?RANDOM|OPTIND|HISTCMD|PS4|ENV|BASH_ENV|PROMPT_COMMAND)\+?=/y;

/** Programs that run the word after `-c`, and what they read. */
const SHELL = /^(?:.*\/)?(?:(?:ba|da|a|z|k|mk|fi|c|tc)?sh|su|runuser)$/;
const CODE_OPTION = /-[A-Za-z]*c|--command/y;

const ASSIGNMENT = /[A-Za-z_]\w{0,99}(?:\[[^\]]{0,99}\])?\+?=/y;

/** After these words a command begins, wherever they stand: too often rather than not often enough. */
const RESERVED = /^(?:if|then|elif|else|while|until|do|time|coproc|[!{])$/;

/** In front of the name of a builtin. */
const PREFIX = /^(?:command|builtin|-.*)$/;

/** Longer ones are none that mean something to us. */
const LONGEST = 64;

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** What is known of the words of a list of commands, up to where the scanner is. */
export class Words {
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
  #codeNext = false;
  /** Whether a word of the current command is the name of a shell. */
  shell = false;
  /** The references in the current operand of `[[`, which an operator after them can forbid. */
  operands: Found[] = [];
  readonly #text: string;
  /** The here-documents whose bodies follow the next line break; subshells share them. */
  readonly pending: HereDocument[];

  constructor(text: string, pending: HereDocument[]) {
    this.#text = text;
    this.pending = pending;
  }

  /** A part of a word begins. */
  begin(at: number, plain: boolean): void {
    this.start ??= at;
    this.plain &&= plain;
  }

  /** Ends the current word, and gives it if it is plain. */
  end(at: number): string {
    const { start = at, plain } = this;
    this.start = undefined;
    this.plain = true;
    return plain && at - start <= LONGEST ? this.#text.slice(start, at) : '';
  }

  /** A new command may begin. */
  separate(): void {
    this.operands = [];
    this.name = undefined;
    this.redirection = '';
    this.#previous = '';
    this.#codeNext = false;
    this.shell = false;
  }

  /** A word of a command has ended, which began at an offset. */
  take(word: string, start: number): void {
    if (this.redirection !== '') {
      this.redirection = '';
      return;
    }
    if (!EVALUATES.test(this.name ?? '')) {
      if (RESERVED.test(word)) this.name = undefined;
      else if (!PREFIX.test(word) && !matches(ASSIGNMENT, this.#text, start)) this.name ??= word;
    }
    if (matches(CODE_OPTION, word, 0)) this.#codeNext = this.shell;
    else if (!/^[-+]/.test(word)) this.#codeNext = false;
    this.shell ||= SHELL.test(word);
    this.#previous = word;
  }

  /** Whether the command gives variables attributes that make each later assignment evaluate its value. */
  givesAttribute(word: string): boolean {
    return /^(?:declare|typeset|local)$/.test(this.name ?? '') && /^[-+]\w*[in]/.test(word);
  }

  /** Why the value of a reference in the current word would become code, if it would. */
  refusal(at: number): ReferenceProblem | undefined {
    const { start = at, name = '' } = this;
    if (/^[<>]&$/.test(this.redirection)) return 'duplication';
    if (this.redirection !== '') return this.redirection === '<<<' && this.shell ? 'code' : undefined;
    const options = [this.#previous, this.#text.slice(start, Math.min(at, start + 3))];
    const evaluates = EVALUATES.test(name) || options.some((option) => EVALUATES_NEXT.test(`${name} ${option}`));
    const isCode = this.shell && (this.#codeNext || matches(CODE_OPTION, this.#text, start));
    return evaluates || isCode || matches(EVALUATED, this.#text, start) ? 'code' : undefined;
  }
}
