import { shellWord } from '../shell_word.ts';
import { createHiding } from './redact.ts';

/**
 * Words of a command line, quoted for a shell. From the first word on that may be a secret, `…` stands for the rest.
 * `line` contains all words of the line, and `known` a word that is no secret.
 */
export function repeatWords(words: readonly string[], line: readonly string[], known?: string): string {
  const isHidden = createHiding(line);
  const end = words.findIndex((word) => word !== known && isHidden(word));
  return end === -1 ? words.map(shellWord).join(' ') : [...words.slice(0, end).map(shellWord), '…'].join(' ');
}
