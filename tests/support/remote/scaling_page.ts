import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cli.ts';
import { parseMarkdown } from '../goldens/markdown.ts';

/** The texts of all blocks with a language in a section of docs/scaling.md, before its subsections. */
export function blocksIn(section: string, language: string): readonly string[] {
  const [, text = ''] = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8').split(`\n## ${section}\n`);
  const [own = ''] = text.split(/^##+ /m);
  return parseMarkdown(own).blocks.flatMap((block) => (block.language === language ? block.text : []));
}
