/** Sentences of at least this many words are compared. */
const WORDS = 9;

/** Adjacent words that are compared together. */
const GROUP = 4;

/** A sentence that shares at least this part of its groups with another document says the same. */
const SHARE = 0.8;

/** The sentences of a Markdown text, without its code blocks, and one per cell of a table. */
function sentencesOf(markdown: string): readonly (readonly string[])[] {
  const text = markdown
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/^#.*$/gm, '');
  return text
    .split(/(?<=[.:;!?])\s|\n|\|/)
    .map((sentence) => sentence.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [])
    .filter(({ length }) => length >= WORDS);
}

function groupsOf(words: readonly string[]): string[] {
  return words.slice(GROUP - 1).map((_, index) => words.slice(index, index + GROUP).join(' '));
}

/** The sentences of each document that another one says too, almost in the same words. */
export function repeatedSentences(documents: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const all = [...documents].map(([name, text]) => {
    const sentences = sentencesOf(text);
    return { name, sentences, groups: new Set(sentences.flatMap(groupsOf)) };
  });
  for (const { name, sentences } of all) {
    for (const words of sentences) {
      const groups = groupsOf(words);
      const other = all.find((each) => each.name !== name && shareOf(groups, each.groups) >= SHARE);
      if (other !== undefined) found.push(`${name} and ${other.name}: ${words.join(' ')}`);
    }
  }
  return found;
}

function shareOf(groups: readonly string[], others: ReadonlySet<string>): number {
  return groups.filter((group) => others.has(group)).length / groups.length;
}
