import { readOperator } from './here_document.ts';
import { ARRAY, CALCULATES, CASE_END, COMMENT, holdsWords, isList, NO_PARAMETERS, REDIRECTION } from './contexts.ts';
import { Reader } from './context_stack.ts';

/** Reads what stands between quotes and expansions: words, operators, comments, and the keywords that matter. */
export class Grammar extends Reader {
  protected inWords(sign: string): void {
    const { kind, words } = this.frame;
    const at = this.at;
    switch (sign) {
      case ' ':
      case '\t':
        this.endWord();
        this.at += 1;
        return;
      case '\n':
        return this.#lineBreak();
      case '#':
        return this.#hash();
      case '[': {
        const isSubscript = words.start === undefined ? kind === 'array' : /\w/.test(this.text.charAt(at - 1));
        words.begin(at, !isSubscript);
        if (isSubscript) this.push('subscript', 1, 'arithmetic');
        else this.at += 1;
        return;
      }
      case '(':
        return this.#open();
      case ')':
        return this.#close();
      case '<':
      case '>':
        return this.#redirect();
      default:
        return this.matches(REDIRECTION) ? this.#redirect() : this.#separator(sign);
    }
  }

  #lineBreak(): void {
    this.endWord();
    const { kind, words } = this.frame;
    this.at += 1;
    if (isList(kind) && !(kind === 'case' && words.phase === 'subject')) words.separate();
    if (this.waiting === 0) return;
    if (!isList(kind) || words.pending.length < this.waiting) this.lose();
    else this.startBodies(words.pending);
  }

  #hash(): void {
    const { kind, words } = this.frame;
    if (words.start !== undefined) this.at += 1;
    else if (kind === 'test') this.lose();
    else this.skip(COMMENT);
  }

  #open(): void {
    const { kind, words } = this.frame;
    const { start } = words;
    const inPattern = kind === 'case' && words.phase === 'pattern';
    const before = this.text.charAt(this.at - 1);
    if (kind === 'test') {
      this.endWord();
      words.separate();
      this.frame.refusal = undefined;
      this.at += 1;
    } else if (start === undefined) {
      if (kind === 'array' || (kind === 'case' && words.phase === 'subject')) this.lose();
      else if (inPattern) {
        words.name ??= '(';
        this.at += 1;
      } else if (this.text.startsWith('((', this.at)) this.push('arithmetic', 2, 'arithmetic', 2);
      else this.push('commands', 1);
    } else if (/[?*+@]/.test(before) || (before === '!' && start < this.at - 1)) this.push('pattern', 1);
    else if (inPattern || !isList(kind)) this.lose();
    else if (this.at - start < 300 && ARRAY.test(this.text.slice(start, this.at))) {
      this.push('array', 1);
    } else if (this.skip(NO_PARAMETERS)) {
      words.end(this.at);
      words.separate();
    } else this.lose();
  }

  #close(): void {
    this.endWord();
    const { kind, words } = this.frame;
    if (kind === 'case' && words.phase !== 'pattern') return this.lose();
    if (kind === 'substitution' && words.pending.length > 0) return this.lose();
    if (kind === 'case') words.phase = 'body';
    if (kind === 'array' || kind === 'substitution' || (kind === 'commands' && this.nested)) {
      this.pop(1);
      const { words: around } = this.frame;
      if (around.start === undefined) around.separate();
      return undefined;
    }
    this.frame.refusal = undefined;
    words.separate();
    this.at += 1;
  }

  #separator(sign: string): void {
    this.endWord();
    const { frame } = this;
    const { kind, words } = frame;
    if (kind === 'array' || (kind === 'case' && words.phase === 'subject')) return this.lose();
    if (kind === 'case' && words.phase === 'pattern') {
      if (sign !== '|') return this.lose();
    } else {
      words.separate();
      frame.refusal = undefined;
      if (kind === 'case' && this.skip(CASE_END)) {
        words.phase = 'pattern';
        return undefined;
      }
    }
    this.at += 1;
  }

  #redirect(): void {
    const { kind, words } = this.frame;
    const { start } = words;
    if (/^[<>]\($/.test(this.text.slice(this.at, this.at + 2))) {
      if (kind === 'test') return this.lose();
      words.begin(this.at, false);
      return this.push('substitution', 2);
    }
    // A number in front of the operator is no word.
    if (start !== undefined && this.at - start < 9 && /^\d+$/.test(this.text.slice(start, this.at))) words.end(this.at);
    else this.endWord();
    return this.#redirectFrom();
  }

  #redirectFrom(): void {
    const { kind, words } = this.frame;
    if (kind === 'test') {
      this.at += 1;
      return;
    }
    if (!isList(kind) || (kind === 'case' && words.phase !== 'body')) return this.lose();
    const from = this.at;
    this.skip(REDIRECTION);
    const operator = this.text.slice(from, this.at);
    words.redirection = operator;
    if (operator !== '<<') return undefined;
    const found = readOperator(this.text, from, words.runsInput ? 'code' : undefined);
    if (found === undefined || this.body !== undefined) return this.lose();
    words.pending.push(found.document);
    words.redirection = '';
    this.waiting += 1;
    this.at = found.end;
  }

  /** Ends the current word, if there is one, with all that it means. */
  protected endWord(): void {
    const { kind, words } = this.frame;
    const { start } = words;
    if (!holdsWords(kind) || start === undefined) return;
    const word = words.end(this.at);
    const { phase, name } = words;
    if (kind === 'test') {
      if (word === ']]') this.pop(0);
      else if (CALCULATES.test(word)) {
        for (const each of words.operands) each.problem = 'arithmetic';
        words.operands = [];
        this.frame.refusal = 'arithmetic';
      }
    } else if (kind === 'case' && phase === 'subject') {
      if (name === undefined) words.name = word;
      else if (word !== 'in') this.lose();
      else {
        words.phase = 'pattern';
        words.separate();
      }
    } else if (kind === 'case' && word === 'esac' && name === undefined) this.pop(0);
    else if (kind === 'case' && phase === 'pattern') words.name = word;
    else if (kind !== 'array') this.#takeWord(word, start);
  }

  #takeWord(word: string, start: number): void {
    const { words } = this.frame;
    const isCase = word === 'case' && words.redirection === '';
    if (words.givesAttribute()) this.lose();
    else if (word === '[[') this.push('test', 0);
    else if (isCase && words.name === undefined) this.push('case', 0);
    // It may be a keyword after words that are not known here.
    else if (isCase && this.nested) this.lose();
    else words.take(start);
  }
}
