/** A string (perhaps not closed), a bare word, or a punctuation mark; what JSON does not know too. */
const TOKEN = /"(?:[^"\\\r\n]|\\.)*"?|[^\s",:{}[\]]+|[,{}[\]]/g;

/**
 * A text that may not be JSON at all, with asterisks for the values of secret-named keys. Every
 * offset stays where it was, so that places still fit.
 *
 * Works on tokens, not on a tree, because source lines are drawn for broken files too: everything
 * from a secret name to the end of its entry is secret.
 */
export function hideSecrets(text: string, isSecret: (name: string) => boolean): string {
  if (!isSecret(text)) return text;
  /** How deep inside a secret entry's brackets we are; undefined outside of one. */
  let depth: number | undefined;
  return text.replace(TOKEN, (token) => {
    if (depth === undefined) {
      if (isSecret(token)) depth = 0;
    } else if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth = depth <= 1 ? undefined : depth - 1;
    else if (token === ',') depth = depth === 0 ? undefined : depth;
    else return '*'.repeat(token.length);
    return token;
  });
}
