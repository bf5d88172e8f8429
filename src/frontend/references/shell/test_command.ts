import type { Place } from './contexts.ts';
import type { Reader } from './reader.ts';
import type { WordReader } from './word_reader.ts';

const PROCESS_SUBSTITUTION = /[<>]\(/y;
const OPERATOR = /&&|\|\||[()<>;&|]/y;
/** The operators that calculate, or evaluate a subscript. */
const CALCULATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** Reads `[[ … ]]` of bash, after its first word. The operands of an operator that calculates are refused. */
export function readTest(reader: Reader, words: WordReader, place: Place): void {
  reader.nest(() => {
    // How many references there are before the current operand, and why one in the next operand is refused.
    let before = reader.found.length;
    let { refusal } = place;
    while (reader.more) {
      // Shells do not agree on comments here.
      if (reader.character === '#' || reader.matches(PROCESS_SUBSTITUTION)) return false;
      if (words.skipLines()) continue;
      if (reader.skip(OPERATOR)) {
        before = reader.found.length;
        ({ refusal } = place);
        continue;
      }
      const word = words.read({ ...place, refusal }, false);
      if (word === ']]') return true;
      if (!CALCULATES.test(word)) continue;
      reader.refuseFrom(before, 'arithmetic');
      before = reader.found.length;
      refusal = 'arithmetic';
    }
    return false;
  });
}
