import { LeftOut } from './imported.ts';

/** A part of a command: text, or the expansion of a variable. */
export type TemplatePart = string | Readonly<{ expansion: string }>;

/** Characters that the shell interprets in text, but not in the value of a variable. */
const SYNTAX = /["'\\`;&|<>()#~$\n]/;

/**
 * A variable in a command where the other tool inserts its value as text. Returns the text if the shell would interpret
 * it differently; parameters then have no effect on it.
 */
export function inserted(name: string, value: string): TemplatePart {
  return SYNTAX.test(value) ? value : { expansion: `\${${name}}` };
}

/** The command of a template. Nothing is expanded between single quotes, so expansions interrupt them. */
export function shellText(parts: readonly TemplatePart[]): string {
  let quote = '';
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      quote = quoteAfter(part, quote);
      text += part;
    } else if (text.includes('<<')) throw new LeftOut('it inserts a value after the beginning of a here-document');
    else text += quote === "'" ? `'"${part.expansion}"'` : part.expansion;
  }
  return text;
}

/** The quote that is open at the end of a text: `'`, `"` or none. */
function quoteAfter(text: string, before: string): string {
  let quote = before;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\' && quote !== "'") index += 1;
    else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (quote === '' && character === '#' && /^$|\s/.test(text.charAt(index - 1))) {
      const end = text.indexOf('\n', index);
      index = end === -1 ? text.length : end;
    }
  }
  return quote;
}
