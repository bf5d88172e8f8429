import type { ShellPlace } from './contexts.ts';
import type { Reader } from './reader.ts';
import type { WordReader } from './word_reader.ts';

const PROCESS_SUBSTITUTION = /[<>]\(/y;
const OPERATOR = /&&|\|\||[()<>;&|]/y;
/** Operators that evaluate arithmetic or a subscript. */
const CALCULATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** Reads `[[ … ]]` of bash after its first word. References in operands of an evaluating operator are rejected. */
export function readTest(reader: Reader, words: WordReader, place: ShellPlace): void {
  reader.nest(() => {
    // The number of references before the current operand, and the reason to reject those in the next operand.
    let before = reader.found.length;
    let { refusal } = place;
    while (reader.more) {
      // Shells disagree on comments here.
      if (reader.character === '#' || reader.matches(PROCESS_SUBSTITUTION)) return false;
      if (words.skipLines()) continue;
      if (reader.skip(OPERATOR)) {
        before = reader.found.length;
        ({ refusal } = place);
        continue;
      }
      const word = words.read({ ...place, refusal }, false);
      if (word === ']]') return true;
      if (/^-[vR]$/.test(word)) reader.addNewer(reader.at - 2, reader.at);
      if (!CALCULATES.test(word)) continue;
      reader.refuseFrom(before, 'arithmetic');
      before = reader.found.length;
      refusal = 'arithmetic';
    }
    return false;
  });
}
