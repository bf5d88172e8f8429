import { CommandState } from './command_state.ts';
import { PLAIN, type ShellPlace } from './contexts.ts';
import { Expansions } from './expansions.ts';
import type { FoundReference } from './found_reference.ts';
import { findBody, readOperator, type HereDocument } from './here_document.ts';
import { Reader, type NewerBash } from './reader.ts';
import { readTest } from './test_command.ts';
import type { VariableUses } from './variable_uses.ts';
import { WordReader } from './word_reader.ts';

/** A list of commands that is being read. */
type List = Readonly<{
  state: CommandState;
  /** The here-documents whose bodies follow the next line break. A subshell shares them. */
  documents: HereDocument[];
  /** The end of the list: the end of the text, a parenthesis, or the next item of `case`. */
  ending: 'text' | ')' | 'item';
}>;

const COMMENT = /#[^\n]*/y;
const PROCESS_SUBSTITUTION = /[<>]\(/y;
const REDIRECTION = /<<<|<<|<>|[<>]&|>>|>\||&>>?|[<>]/y;
const SEPARATOR = /&&|\|\||\|&|;;&?|;&|[;&|]/y;
/** Operators that bash 3.2 lacks. */
const NEWER = /\|&|&>>|;;?&/y;
const ARRAY = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$/;
const NO_PARAMETERS = /\([ \t]*\)/y;
const IN = /in(?=[ \t\n;&|<>()]|$)/y;
const ESAC = /esac(?=[ \t\n;&|<>()]|$)/y;
const ITEM_END = /;;&?|;&/y;

/**
 * Reads a command for bash or a POSIX shell once, from left to right, and finds its references. Implements the grammar
 * (POSIX XCU 2.3, 2.7, 2.9; manual of bash, 3.2) as far as it decides the limits of words, quotes, comments and
 * here-documents, and which text is run as code. Gives up where the reading is uncertain.
 */
export class Scanner {
  readonly #reader: Reader;
  readonly #expansions: Expansions;
  readonly #words: WordReader;

  constructor(text: string) {
    this.#reader = new Reader(text);
    this.#expansions = new Expansions(this.#reader, (printsCode) => this.#readSubstitution(printsCode));
    this.#words = new WordReader(this.#reader, this.#expansions);
  }

  /** Syntax that bash 3.2 lacks; complete after `scan`. */
  get newer(): readonly NewerBash[] {
    return this.#reader.newer;
  }

  /** The expansions of variables; complete after `scan`. */
  get variables(): VariableUses {
    return this.#reader.variables;
  }

  scan(): readonly FoundReference[] {
    this.#readList({ state: new CommandState(this.#reader, false), documents: [], ending: 'text' });
    return this.#reader.found;
  }

  /** Reads the commands of a substitution and the closing parenthesis. Returns whether it was found. */
  #readSubstitution(printsCode: boolean): boolean {
    const documents: HereDocument[] = [];
    const state = new CommandState(this.#reader, printsCode);
    return this.#readList({ state, documents, ending: ')' }) && documents.length === 0;
  }

  /** Reads commands and the end of their list. Returns whether the end was found. */
  #readList(list: List): boolean {
    while (this.#reader.more) {
      if (this.#words.skipBlanks()) continue;
      if (this.#reader.matches(NEWER)) this.#reader.addNewer(this.#reader.at, NEWER.lastIndex);
      if (this.#atEnd(list)) return true;
      this.#readNext(list);
    }
    return false;
  }

  /** Skips the end of a list, except for `esac`. Returns whether it was found. */
  #atEnd({ state, ending }: List): boolean {
    const reader = this.#reader;
    if (ending === 'item') return reader.skip(ITEM_END) || (state.isReserved('esac') && reader.matches(ESAC));
    if (ending === 'text' || reader.character !== ')') return false;
    reader.at += 1;
    return true;
  }

  #readNext(list: List): void {
    const reader = this.#reader;
    const { character } = reader;
    if (character === '\n') this.#endLine(list);
    else if (character === '#') reader.skip(COMMENT);
    else if (character === '(') this.#readGroup(list);
    else if (character === ')') this.#readStray(list);
    else if (reader.matches(PROCESS_SUBSTITUTION)) this.#readWord(list);
    else if (reader.matches(REDIRECTION)) this.#readRedirection(list);
    else if (reader.skip(SEPARATOR)) list.state.separate();
    else this.#readWord(list);
  }

  /** Ends a line. The bodies of its here-documents follow. */
  #endLine({ state, documents }: List): void {
    const reader = this.#reader;
    reader.at += 1;
    state.separate();
    // Some belong to an enclosing command.
    if (reader.waiting > documents.length) reader.giveUp();
    for (const document of documents.splice(0)) this.#readBody(document);
  }

  #readBody(document: HereDocument): void {
    const reader = this.#reader;
    reader.waiting -= 1;
    const body = findBody(reader.text, reader.at, document);
    if (body === undefined) return reader.giveUp();
    if (document.quoted) {
      reader.refuseTo(body.end, 'quoted here-document');
      reader.at = body.after;
      return undefined;
    }
    const place = { context: 'here-document', quoted: true, refusal: document.problem } as const;
    return reader.readBody(body.end, body.after, () => {
      if (!reader.skip(PLAIN['here-document'])) this.#expansions.read(place);
    });
  }

  /** Reads a subshell, or `((…))`. */
  #readGroup({ state, documents }: List): void {
    const reader = this.#reader;
    const inner = new CommandState(reader, state.printsCode);
    if (reader.text.startsWith('((', reader.at)) this.#expansions.arithmetic(2, this.#placeIn(state));
    else {
      reader.nest(() => {
        reader.at += 1;
        return this.#readList({ state: inner, documents, ending: ')' });
      });
    }
    state.closeGroup(inner.holdsShell);
  }

  /** Reads an unmatched closing parenthesis. */
  #readStray({ state, ending }: List): void {
    if (ending === 'item') this.#reader.giveUp();
    this.#reader.at += 1;
    state.separate();
  }

  #readRedirection({ state, documents }: List): void {
    const reader = this.#reader;
    const start = reader.at;
    reader.skip(REDIRECTION);
    const operator = reader.text.slice(start, reader.at);
    if (operator !== '<<') {
      state.redirection = operator;
      return;
    }
    reader.at = start;
    const document = readOperator(reader);
    if (document === undefined || reader.inBody) return reader.giveUp();
    reader.waiting += 1;
    documents.push(document);
    state.addInputs([document]);
  }

  #readWord(list: List): void {
    const reader = this.#reader;
    const { state } = list;
    const start = reader.at;
    const count = reader.found.length;
    const place = { context: 'word', quoted: false, refusal: state.refusal(start) } as const;
    const word = this.#words.read(place, state.runsInput);
    while (reader.more && reader.character === '(') {
      if (ARRAY.test(reader.text.slice(start, reader.at))) this.#words.readArray(state.elementRefusal(start));
      else if (reader.skip(NO_PARAMETERS)) return state.separate();
      else reader.giveUp();
      this.#words.read(place, state.runsInput);
    }
    // A number before a redirection belongs to it.
    if (/^\d+$/.test(word) && /[<>]/.test(reader.character)) return;
    if (/^\{\w+\}$/.test(word) && /[<>]/.test(reader.character)) reader.addNewer(start, reader.at);
    if (state.isReserved(word)) {
      if (word === 'coproc') reader.addNewer(start, reader.at);
      return this.#readReserved(word, list);
    }
    if (state.redirection === '<<<') state.addInputs(reader.found.slice(count));
    state.addWord(start, reader.at);
  }

  #readReserved(word: string, list: List): void {
    if (word === 'case') this.#readCase(list);
    else if (word === '[[') {
      readTest(this.#reader, this.#words, this.#placeIn(list.state));
      list.state.closeGroup(false);
    } else list.state.addReserved(word);
  }

  /** Reads `case … in … esac`, after its first word. */
  #readCase({ state, documents }: List): void {
    const reader = this.#reader;
    const inner = new CommandState(reader, state.printsCode);
    const place = this.#placeIn(state);
    reader.nest(() => {
      while (this.#words.skipBlanks());
      this.#words.read(place, false);
      while (this.#words.skipLines());
      if (!reader.skip(IN)) return false;
      do {
        while (this.#words.skipLines());
        if (reader.skip(ESAC)) return true;
        inner.separate();
      } while (this.#readPatterns(place) && this.#readList({ state: inner, documents, ending: 'item' }));
      return false;
    });
    state.closeGroup(inner.holdsShell);
  }

  /** Reads the patterns of a `case` item and the parenthesis after them. Returns whether it was found. */
  #readPatterns(place: ShellPlace): boolean {
    const reader = this.#reader;
    if (reader.character === '(') reader.at += 1;
    for (;;) {
      while (this.#words.skipBlanks());
      this.#words.read(place, false);
      while (this.#words.skipBlanks());
      const { character } = reader;
      reader.at += 1;
      if (character !== '|') return character === ')';
    }
  }

  /** The place of a word that cannot be an argument. */
  #placeIn({ printsCode }: CommandState): ShellPlace {
    return { context: 'word', quoted: false, refusal: printsCode ? 'code' : undefined };
  }
}
