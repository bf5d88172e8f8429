/** A part of a command: text, or the expansion of a variable. */
export type TemplatePart = string | Readonly<{ expansion: string }>;

/** Characters that the shell reads in text, but not in the value of a variable. */
const SYNTAX = /["'\\`;&|<>()#~$\n]/;

/**
 * A variable in a command, where the other tool inserts its value as text. The text itself, if the shell would read it
 * differently: parameters then do not change it.
 */
export function inserted(name: string, value: string): TemplatePart {
  return SYNTAX.test(value) ? value : { expansion: `\${${name}}` };
}

/** The command of a template. Nothing is expanded between single quotes, so expansions interrupt them. */
export function shellText(parts: readonly TemplatePart[]): string {
  let quote = '';
  let text = '';
  for (const part of parts) {
    if (typeof part !== 'string') text += quote === "'" ? `'"${part.expansion}"'` : part.expansion;
    else {
      quote = quoteAfter(part, quote);
      text += part;
    }
  }
  return text;
}

/** The quote that is open after a text. */
function quoteAfter(text: string, before: string): string {
  let quote = before;
  for (const [found] of text.matchAll(/\\[\s\S]|["']/g)) {
    // A backslash between single quotes is an ordinary character, and the one after it may be the closing quote.
    const character = quote === "'" ? found.slice(-1) : found;
    if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
  }
  return quote;
}
