/** A completion for editors. `$1` and `${1:text}` are tab stops. */
export type Snippet = Readonly<{ label: string; description: string; body: unknown }>;

/** The help on a field, for editors. If there is a single snippet, editors insert it as the value of the field. */
export type FieldDoc = Readonly<{
  description: string;
  examples: readonly unknown[];
  default?: unknown;
  defaultSnippets?: readonly Snippet[];
}>;

/** The help on every field of a shape. A field without help does not compile. */
export type FieldDocs<Fields extends { entries: object }> = Readonly<Record<keyof Fields['entries'], FieldDoc>>;

/** The help on a field in Markdown, with an example. */
export function fieldHelp(name: string, { description, examples }: FieldDoc): string {
  const example = `"${name}": ${JSON.stringify(examples[0], undefined, 2)}`;
  return `${description}\n\n\`\`\`json\n${example}\n\`\`\``;
}

/** A value as JSON on one line, with blanks as in a file. */
export function inlineJson(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/\[ | \]/g, (sign) => sign.trim());
}
