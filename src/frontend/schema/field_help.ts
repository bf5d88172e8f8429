import type { FieldDoc } from './field_doc.ts';

/** The help on a field in Markdown, with an example. */
export function fieldHelp(name: string, { description, examples }: FieldDoc): string {
  const example = `"${name}": ${JSON.stringify(examples[0], undefined, 2)}`;
  return `${description}\n\n\`\`\`json\n${example}\n\`\`\``;
}
