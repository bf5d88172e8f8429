import type { ReferenceProblem } from './found_reference.ts';
import type { Reader } from './reader.ts';

/** A reference or a here-document that a later word of the command can turn into code. */
type CommandInput = { problem: ReferenceProblem | undefined };

/** Builtins that run their arguments, or take names whose subscripts are evaluated. */
const EVALUATES = /^(?:eval|let|trap|alias|unset|read|readarray|mapfile|compgen|complete)$/;
/** Commands with an option whose next word is evaluated. */
const EVALUATES_NEXT = /^(?:(?:test|\[|printf) -v|wait -\w*p)/;
/** Builtins that take assignments. Some of their options evaluate the values. */
const DECLARES = /^(?:declare|typeset|local|readonly)$/;
/** Builtins that set the variables named by their arguments, and loops that set the next word. */
const ASSIGNS_NAMES = /^(?:read|readarray|mapfile|getopts|unset)$/;
const LOOPS = /^(?:for|select)$/;
/** Builtins, and arguments of builtins after their name, that bash 3.2 lacks. */
const NEWER_NAME = /^(?:mapfile|readarray)$/;
const NEWER_ARGUMENT =
  /^(?:(?:declare|typeset|local|readonly) -\w*[Agnlu]\w*|wait -\w*[nfp]\w*|read -\w*[iN]\w*|(?:test|\[) -[vR]|shopt (?:globstar|lastpipe|inherit_errexit|assoc_expand_once))$/;
const PRINTS_TIME = /%[-0-9.]*\\?\([^()]{0,64}\)T/;
/** Variables whose values the shell evaluates, now or later. */
const EVALUATED =
  /^(?:S?RANDOM|SECONDS|BASHPID|OPTIND|HISTCMD|PS[0-4]|ENV|BASH_ENV|PROMPT_COMMAND|BASH_FUNC_.*%%)(?:\[|\+?=)/;

/** A word that is or ends in the name of a shell: `/bin/sh`, `$HOME/bin/bash`, `${X:-bash}`, `$(which zsh)`. */
const SHELL =
  /(?:^|[/}]|:-|\s(?=\w+[)`]))(?:(?:r?ba|da|a|z|k|mk|fi|c|tc|ya|po)?sh|su|runuser)[)}`]*$|^\$\{?(?:BASH|SHELL)\}?$/;
const CODE_OPTION = /^(?:-[A-Za-z]*c|--command)/;
/** Options of a shell with an argument. */
const TAKES_WORD = /^(?:[-+][A-Za-z]*[oO]|--(?:rc|init-)file$)/;

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[|\+?=)/;
/** Words before the name of a builtin. A variable in braces belongs to a redirection. */
const PREFIX = /^(?:command|builtin|-.*|\{.*\})$/;
/** The beginning of an expansion that can be empty, so that the next word takes its place. A reference cannot. */
const CAN_VANISH = /^(?:[$`](?!["']|\{steps\.)|"\$(?:@|\{@|\{\w+\[@))/;

/** Reserved words. Some of them begin or end a group of commands. A command follows all but one. */
const RESERVED = /^(?:if|then|elif|else|fi|while|until|for|select|do|done|case|esac|function|coproc|time|[!{}]|\[\[)$/;
const OPENS_GROUP = /^(?:if|while|until|for|select|\{)$/;
const CLOSES_GROUP = /^(?:fi|done|\})$/;
const TAKES_NAME = /^(?:for|select|function)$/;

/** Maximum length of a beginning or an end of a word with a meaning. */
const LONGEST = 64;
const BEGINNING = /[^\s;&|()<>]{0,64}/y;

/** A part of a word without its quotes. */
function unquoted(text: string): string {
  return text.replaceAll(/\$?['"]|\\/g, '');
}

/** Tracks the words of the current command of a list, as far as they decide which text is run as code. */
export class CommandState {
  /** The operator of a redirection before the next word. */
  redirection = '';
  /** Whether each open group contains a shell. The first group is the list itself. */
  readonly #groups = [false];
  readonly #reader: Reader;
  /** The variables that assignments before the name of the current command set. */
  #assigned: string[] = [];
  /** Whether the output of the commands is run as code. */
  readonly printsCode: boolean;
  /** Whether the next word, and the one after it, can be a reserved word. */
  #first = true;
  #second = false;
  /** The first word that is not an assignment; '' if it contains expansions. */
  #name: string | undefined;
  #nameStart = 0;
  #previous = '';
  #isShell = false;
  /** For a shell: whether its code is the next word, and the number of option arguments before it. */
  #codeNext = false;
  #optionArguments = 0;
  /** Whether a declaring builtin has options that make it evaluate the values, or also the elements. */
  #evaluatesValues = false;
  #evaluatesElements = false;
  #inputs: CommandInput[] = [];

  constructor(reader: Reader, printsCode: boolean) {
    this.#reader = reader;
    this.printsCode = printsCode;
  }

  /** Whether one of the commands is a shell. */
  get holdsShell(): boolean {
    return this.#groups[0] ?? false;
  }

  /** Whether the current command runs its input as code. */
  get runsInput(): boolean {
    return this.printsCode || this.#isShell || this.#name === 'source' || this.#name === '.';
  }

  /** Whether a plain word is reserved at its position. */
  isReserved(word: string): boolean {
    return this.#first && this.redirection === '' && RESERVED.test(word);
  }

  /** Begins a new command. */
  separate(): void {
    // Before the name of a command, an assignment is for that command only.
    if (this.#name === undefined) for (const name of this.#assigned) this.#reader.variables.assign(name);
    this.#assigned = [];
    this.redirection = '';
    this.#first = true;
    this.#second = false;
    this.#name = undefined;
    this.#previous = '';
    this.#isShell = false;
    this.#codeNext = false;
    this.#optionArguments = 0;
    this.#evaluatesValues = false;
    this.#evaluatesElements = false;
    this.#inputs = [];
  }

  /** Adds a reserved word. */
  addReserved(word: string): void {
    const group = CLOSES_GROUP.test(word) && this.#groups.length > 1 ? this.#groups.pop() : undefined;
    this.closeGroup(group ?? false);
    if (OPENS_GROUP.test(word)) this.#groups.push(false);
    this.#first = !TAKES_NAME.test(word);
    this.#second = !this.#first || word === 'coproc';
    this.#previous = word;
  }

  /** Ends a group of commands. Redirections of the whole group can follow. */
  closeGroup(holdsShell: boolean): void {
    this.separate();
    if (holdsShell) this.#addShell();
  }

  /** Adds the word between two offsets, after its redirections and reserved words have been handled. */
  addWord(start: number, end: number): void {
    const isTimeOption = this.#first && this.#previous === 'time' && this.#reader.text.slice(start, end) === '-p';
    if (!isTimeOption) {
      this.#first = this.#second;
      this.#second = false;
    }
    if (this.redirection !== '') this.redirection = '';
    else this.#addArgument(start, end);
  }

  /** Adds references or here-documents that the current command reads. */
  addInputs(inputs: readonly CommandInput[]): void {
    this.#first = false;
    this.#inputs.push(...inputs);
    if (this.runsInput) this.#refuseInputs();
  }

  /** The reason why the value of a reference would become code, in the word that begins at an offset. */
  refusal(start: number): ReferenceProblem | undefined {
    if (this.printsCode) return 'code';
    if (this.redirection !== '') return /^[<>]&$/.test(this.redirection) ? 'duplication' : undefined;
    BEGINNING.lastIndex = start;
    // Quotes can precede the beginning.
    const beginning = unquoted(BEGINNING.exec(this.#reader.text)?.[0] ?? '');
    const name = this.#name ?? '';
    const isCode =
      EVALUATES.test(name) ||
      [this.#previous, beginning].some((each) => EVALUATES_NEXT.test(`${name} ${each}`)) ||
      (DECLARES.test(name) && (this.#evaluatesValues || !ASSIGNMENT.test(beginning))) ||
      (this.#isShell && (this.#codeNext || CODE_OPTION.test(beginning))) ||
      EVALUATED.test(beginning);
    return isCode ? 'code' : undefined;
  }

  /** The same for the elements of an array in that word. */
  elementRefusal(start: number): ReferenceProblem | undefined {
    const isDeclared = DECLARES.test(this.#name ?? '') && !this.#evaluatesElements && !this.printsCode;
    return isDeclared ? undefined : this.refusal(start);
  }

  #addArgument(start: number, end: number): void {
    const whole = this.#reader.text.slice(start, end);
    const tail = unquoted(whole.slice(-LONGEST));
    const word = whole.length > LONGEST || /[$`]/.test(tail) ? '' : tail;
    const isAssignment = ASSIGNMENT.test(word === '' ? whole : word);
    this.#addAssigned(whole, isAssignment);
    if (!CAN_VANISH.test(whole)) {
      if (this.#name !== undefined) this.#findNewer(start, end, word);
      else if (!PREFIX.test(word) && !isAssignment) {
        this.#name = word;
        this.#nameStart = start;
        if (NEWER_NAME.test(word)) this.#reader.addNewer(start, end);
      }
      if (/^[-+]/.test(word)) this.#addOption(word);
      else if (this.#optionArguments > 0) this.#optionArguments -= 1;
      else this.#codeNext = false;
      this.#previous = word;
    }
    if (SHELL.test(tail) && !isAssignment) this.#addShell();
    else if (this.runsInput) this.#refuseInputs();
  }

  /** Records an argument that bash 3.2 lacks, with the name of its builtin if that is close. */
  #findNewer(start: number, end: number, word: string): void {
    const name = this.#name ?? '';
    const time = name === 'printf' ? PRINTS_TIME.exec(this.#reader.text.slice(start, end)) : null;
    if (time !== null) this.#reader.addNewer(start + time.index, start + time.index + time[0].length);
    else if (NEWER_ARGUMENT.test(`${name} ${word}`)) {
      this.#reader.addNewer(end - this.#nameStart > LONGEST ? start : this.#nameStart, end);
    }
  }

  /** Adds the variable that a word assigns, if it does. */
  #addAssigned(whole: string, isAssignment: boolean): void {
    const [variable] = /^[A-Za-z_]\w*/.exec(whole) ?? [];
    if (variable === undefined) return;
    const name = this.#name;
    if (name === undefined && isAssignment) this.#assigned.push(variable);
    const isDeclared = isAssignment && (name === 'export' || DECLARES.test(name ?? ''));
    const isNamed = ASSIGNS_NAMES.test(name ?? '') || (name === 'printf' && this.#previous === '-v');
    const isLoop = LOOPS.test(this.#previous) && name === undefined;
    if (isDeclared || isNamed || isLoop) this.#reader.variables.assign(variable);
  }

  #addOption(word: string): void {
    if (this.#isShell) {
      this.#codeNext ||= CODE_OPTION.test(word);
      if (TAKES_WORD.test(word)) this.#optionArguments += 1;
    } else if (DECLARES.test(this.#name ?? '')) {
      this.#evaluatesValues ||= /[ainA]/.test(word);
      this.#evaluatesElements ||= word.includes('i');
    }
  }

  #addShell(): void {
    this.#isShell = true;
    this.#groups[this.#groups.length - 1] = true;
    this.#refuseInputs();
  }

  #refuseInputs(): void {
    for (const input of this.#inputs) input.problem ??= 'code';
    this.#inputs = [];
  }
}
