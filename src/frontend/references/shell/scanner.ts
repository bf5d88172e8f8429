import {
  CHANGES_TEXT,
  holdsWords,
  isQuoted,
  type Kind,
  PARAMETER,
  PLAIN,
  quotesOf,
  RUNS_IN_PLACE,
  SPECIAL_PARAMETER,
} from './contexts.ts';
import { parseReference } from '../reference_syntax.ts';
import { Grammar } from './tokens.ts';
import { isEvaluated } from './command_state.ts';

/**
 * Goes through a command once and keeps a stack of what is open, as a shell does while it reads: quotes and
 * expansions (POSIX XCU 2.2, 2.6; manual of bash, 3.1.2, 3.5), tokens, comments and here-documents (2.3, 2.7.4),
 * and of the grammar what decides where those begin and end: `case`, `[[`, `((`, arrays.
 */
export class Scanner extends Grammar {
  scan(): void {
    while (!this.lost && this.at < this.text.length) this.#next();
    this.endWord();
    this.finish();
  }

  #next(): void {
    const { kind, words } = this.frame;
    const at = this.at;
    if (this.body !== undefined && at >= this.body.end) return this.endBody();
    const inWords = holdsWords(kind);
    if (this.skip(PLAIN[kind])) {
      if (inWords) words.begin(at, true);
      return;
    }
    const sign = this.text.charAt(at);
    if (inWords && '$\'"`'.includes(sign)) words.begin(at, false);
    switch (sign) {
      case '$':
        return this.#dollar(kind);
      case '\\':
        return this.#backslash(kind);
      case "'":
        if (kind === 'single' || kind === 'ansi') return this.pop(1);
        // Shells do not agree on whether it quotes here.
        if (kind === 'quoted operand' || kind === 'arithmetic') return this.lose();
        return this.push('single', 1);
      case '"':
        if (kind === 'double') return this.pop(1);
        if (kind !== 'quoted operand') return this.push('double', 1);
        return this.body === undefined ? this.push('double', 1, 'operand') : this.lose();
      case '`':
        return kind === 'backticks' ? this.pop(1) : this.push('backticks', 1, 'backticks');
      default:
        return inWords ? this.inWords(sign) : this.#inText(sign);
    }
  }

  #dollar(kind: Kind): void {
    const start = this.at;
    const quotes = quotesOf(kind);
    const reference = parseReference(this.text, start);
    const next = this.text.slice(start + 1, start + 3);
    if (reference?.kind === 'reference') {
      const { step, key, fallback, end } = reference;
      const found = { step, key, fallback, start, end, quotes, problem: this.refusal() };
      this.at = end;
      this.found.push(found);
      this.frame.words.operands.push(found);
    } else if (reference !== undefined) {
      this.at = reference.end;
      this.found.push({ step: '', key: '', fallback: null, start, end: this.at, quotes, problem: reference.problem });
    } else if (kind === 'single' || kind === 'ansi' || kind === 'backticks') this.at += 1;
    else if (next === '((') this.push('arithmetic', 3, 'arithmetic', 2);
    else if (next.startsWith('(')) this.push('substitution', 2);
    else if (next.startsWith('[')) this.push('subscript', 2, 'arithmetic');
    else if (next.startsWith('{')) this.#parameter(kind);
    else if (next.startsWith("'") && !isQuoted(kind)) {
      // In "$(… ${X:-$'…'})", bash 5.2 takes the quotes away, and reads what was in them as text of the command.
      if (kind === 'operand') this.lose();
      else this.push('ansi', 2);
    } else if (!this.skip(SPECIAL_PARAMETER)) this.at += 1;
  }

  #parameter(kind: Kind): void {
    const { quoted } = this.frame;
    PARAMETER.lastIndex = this.at;
    const found = PARAMETER.exec(this.text);
    if (this.matches(RUNS_IN_PLACE)) return this.lose();
    if (found === null) {
      const refusal = this.matches(CHANGES_TEXT) ? 'operand' : 'arithmetic';
      return this.push(quoted ? 'quoted operand' : 'operand', 2, refusal);
    }
    const [{ length }, name = '', unset, assigned] = found;
    // In double quotes alone, those around a pattern are not its own: quotes quote in it.
    const isPattern = unset === undefined && assigned === undefined;
    if (isPattern && kind === 'double' && this.body === undefined) return this.push('operand', length);
    const isSafe = assigned === undefined || (quoted && !isEvaluated(name));
    const unsure = !isSafe || (quoted && (isPattern || kind === 'operand'));
    return this.push(quoted ? 'quoted operand' : 'operand', length, unsure ? 'operand' : undefined);
  }

  #backslash(kind: Kind): void {
    const { words } = this.frame;
    const at = this.at;
    const [before, after] = [this.text.charAt(at - 1), this.text.charAt(at + 2)];
    if (this.text.charAt(at + 1) !== '\n') {
      if (holdsWords(kind)) words.begin(at, false);
    } else if (!holdsWords(kind)) {
      // A shell takes it away before it looks for `$(` and the like.
      if (before === '$') return this.lose();
    } else if (/\s/.test(after)) this.endWord();
    else if (!/^\s?$/.test(before) && !(/[|&]/.test(before) && /\w/.test(after))) return this.lose();
    this.at += kind === 'backticks' && this.text.charAt(at + 1) === '$' ? 1 : 2;
  }

  #inText(sign: string): void {
    const frame = this.frame;
    const { kind } = frame;
    this.at += 1;
    const opens = sign === (kind === 'subscript' ? '[' : '(');
    const closes = sign === (kind === 'subscript' ? ']' : ')');
    if (kind === 'here-document') return;
    if (kind === 'backticks') {
      // Where it begins a comment, shells do not agree on where that ends.
      if (/[\s;&|()`]/.test(this.text.charAt(this.at - 2))) this.lose();
      return;
    }
    if (kind === 'operand' || kind === 'quoted operand') {
      if (sign === '}') this.pop(0);
      else if (this.text.charAt(this.at) === '(') this.lose();
    } else if (opens) frame.depth += 1;
    else if (closes) {
      frame.depth -= 1;
      // `((` can also begin two subshells: then something stands between the two that end them.
      if (frame.depth === 0) this.pop(0);
      else if (kind === 'arithmetic' && frame.depth === 1 && this.text.charAt(this.at) !== ')') this.lose();
    } else this.lose();
  }
}
