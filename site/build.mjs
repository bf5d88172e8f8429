// Builds the site into site/dist: the documents, the first page, the playground and llms.txt. Fails on a dead link.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { bundlePlayground, loadLibrary } from '../scripts/bundle_playground.mjs';
import { deadLinks, largePages } from './check_links.mjs';
import { BASE, OTHERS, pageOf, titleOf } from './pages.mjs';

const DIST = 'site/dist';

/** The text between two headings of the README, without its own heading. */
function sectionOf(title) {
  const section = readFileSync('README.md', 'utf8')
    .split(/^## /m)
    .find((each) => each.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`README.md has no section '${title}'`);
  return section.slice(title.length + 1);
}

/** The first page: the example of the README, whose output the tests compare with that of real runs. */
async function firstPage() {
  const [intro = ''] = /^`cli` [^]*?$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
  const hero = {
    name: 'workflow-plan',
    text: 'Releases and deployments that you can read before they run',
    tagline: intro.replaceAll('`', ''),
    image: { src: '/images/run.svg', alt: 'A run at a terminal' },
    actions: [
      { theme: 'brand', text: 'Try it in the browser', link: '/playground/', target: '_self' },
      { theme: 'alt', text: 'Tutorial', link: '/tutorial' },
    ],
  };
  const section = sectionOf('A file and its run');
  const [block = '', file = ''] = /^```jsonc\n[^\n]*\n([^]*?)^```$/m.exec(section) ?? [];
  const { parse, preview } = await loadLibrary();
  const { dryRun } = await preview(parse(file), 'deploy', { params: { VERSION: '1.2.0' } });
  const plan = `\`cli\` shows what a run would do:\n\n\`\`\`console\n$ cli run deploy VERSION:1.2.0 -n\n${dryRun.text}\`\`\``;
  const text = section.replace(block, () => `${block}\n\n${plan}\n\nThis is the run, and its resume:`);
  return `---\n${JSON.stringify({ layout: 'home', hero }, undefined, 2)}\n---\n\n## A file and its run\n${text}`;
}

/** The titles and addresses of all documents, as https://llmstxt.org describes it. */
function llms() {
  const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`)
    .toSorted();
  const lines = [...documents, ...Object.keys(OTHERS)].map((path) => {
    return `- [${titleOf(path)}](${BASE}${pageOf(path).replace(/(?:(^|\/)index)?\.md$/, (_, slash) => slash ?? '.html')})`;
  });
  const [intro = ''] = /^`cli` [^]*?$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
  return `# workflow-plan\n\n> ${intro}\n\n## Documents\n\n${lines.join('\n')}\n- [Playground](${BASE}playground/)\n`;
}

mkdirSync('site/pages', { recursive: true });
writeFileSync('site/pages/index.md', await firstPage());
rmSync(DIST, { recursive: true, force: true });
await build('site');
cpSync('docs/images', join(DIST, 'images'), { recursive: true });
mkdirSync(join(DIST, 'playground'), { recursive: true });
await bundlePlayground(join(DIST, 'playground'));
writeFileSync(join(DIST, 'llms.txt'), llms());
const problems = [
  ...deadLinks(DIST, BASE).map((line) => `dead link: ${line}`),
  ...largePages(DIST, BASE).map((line) => `too large: ${line}`),
];
for (const line of problems) process.stderr.write(`site: ${line}\n`);
if (problems.length > 0) process.exit(1);
if (!existsSync(join(DIST, 'index.html'))) throw new Error('the site has no first page');
process.stderr.write(`site: built ${DIST}; npm run site:preview serves it\n`);
