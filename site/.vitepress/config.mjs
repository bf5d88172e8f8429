import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import { defineConfig } from 'vitepress';
import { BASE, codeOf, pageOf, REPOSITORY, sourceOfPage, titleOf } from '../pages.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A link of a document, as the site has it: to a page of the site, or else to the repository. */
function rewrite(href, file) {
  if (/^[a-z]+:|^#|^\/\//.test(href)) return href;
  const [path, anchor = ''] = href.split(/(?=#)/);
  const target = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '');
  const page = pageOf(target) ?? pageOf(`${target}/README.md`);
  if (page === undefined) return `${REPOSITORY}/${target}${anchor}`;
  const from = posix.dirname(pageOf(file) ?? 'index.md');
  return `${posix.relative(from, page) || posix.basename(page)}${anchor}`.replace(/^(?![./])/, './');
}

/** The path of a document in the repository. The first page has the links of the README. */
const sourceOf = ({ relativePath = '' }) => (relativePath === 'index.md' ? 'README.md' : sourceOfPage(relativePath));

/** Rewrites links, and gives each item of the list of codes the code as its id. */
function changeLinks(state) {
  const file = sourceOf(state.env);
  for (const { children } of state.tokens) {
    for (const token of children ?? []) {
      if (token.type === 'link_open') token.attrSet('href', rewrite(token.attrGet('href') ?? '', file));
      if (token.type === 'image') token.attrSet('src', imageOf(token.attrGet('src') ?? '', file));
    }
  }
  if (file !== 'docs/reference/diagnostics.md') return;
  for (const [index, { type }] of state.tokens.entries()) {
    const code = codeOf(state.tokens[index + 2]?.content ?? '');
    if (type === 'list_item_open' && code !== undefined) state.tokens[index].attrSet('id', code);
  }
}

function markdown(md) {
  md.core.ruler.push('links', changeLinks);
  // Text is no template of Vue.
  const plain = (text) => md.utils.escapeHtml(text).replaceAll('{{', '&#123;&#123;');
  md.renderer.rules.text = (tokens, index) => plain(tokens[index].content);
  md.renderer.rules.code_inline = (tokens, index) => `<code v-pre>${plain(tokens[index].content)}</code>`;
}

/** The address of an image: that of the README is absolute, for npm. */
function imageOf(source, file) {
  const own = /^https:\/\/raw\.githubusercontent\.com\/workflow-plan\/workflow-plan\/main\/(.+)$/.exec(source)?.[1];
  return own === undefined ? source : posix.relative(posix.dirname(file), own).replace(/^(?![./])/, './');
}

const items = (...names) =>
  names.map((name) => ({
    text: titleOf(`docs/${name}.md`),
    link: `/${pageOf(`docs/${name}.md`).replace(/\.md$/, '')}`,
  }));

/** No font is loaded, and the item of a code is marked if a message has led there. */
const STYLE = `
:root {
  --vp-font-family-base: system-ui, sans-serif;
  --vp-font-family-mono: ui-monospace, 'SF Mono', 'Cascadia Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace;
}
.vp-doc li[id] { scroll-margin-top: 80px; }
.vp-doc li:target { background: var(--vp-c-brand-soft); }
.VPHome .VPHero .name, .VPHome .VPHero .text { font-size: 36px; line-height: 1.2; }
.VPHome .VPHero .tagline { font-size: 18px; line-height: 1.5; }
.VPHome .VPHero .image-src { max-width: min(100%, 560px); max-height: none; position: static; transform: none; }
.VPHome .VPHero .image-container { width: 100%; height: auto; transform: none; }
.VPHome .VPHero .image { margin: 0; }
@media (max-width: 959px) {
  .VPHome .VPHero .image { margin-top: 24px; order: 2; }
  .VPHome .VPHero .image-src { display: block; margin: 0 auto; }
}
`;

export default defineConfig({
  srcDir: '..',
  outDir: join(ROOT, 'site/dist'),
  cacheDir: join(ROOT, 'site/node_modules/.cache'),
  base: BASE,
  lang: 'en',
  head: [['style', {}, STYLE]],
  title: 'workflow-plan',
  description: 'A workflow runner: checks a whole JSON file, compiles it to a plan, and executes the plan',
  cleanUrls: false,
  metaChunk: true,
  srcExclude: [
    '**/node_modules/**',
    '{benchmark,build,dist,examples,fixtures,packages,schemas,scripts,src,tools}/**',
    'site/*.md',
    '.github/**',
    'tests/**',
  ],
  rewrites: (path) => (path === 'site/pages/index.md' ? 'index.md' : (pageOf(path) ?? path)),
  // The links are checked in the built pages, with their anchors: site/check_links.mjs.
  ignoreDeadLinks: true,
  markdown: {
    config: markdown,
    languageAlias: { console: 'shellsession' },
    anchor: { slugify: (text) => new GithubSlugger().slug(text), getTokensText: textOf },
  },
  vite: {
    resolve: { preserveSymlinks: true, alias: aliases() },
    build: { chunkSizeWarningLimit: 2000 },
    publicDir: join(ROOT, 'site/public'),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: 'https://github.com/workflow-plan/workflow-plan' }],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Cookbook', link: '/cookbook' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Playground', link: '/playground/', target: '_self' },
    ],
    sidebar: [
      { text: 'Begin', items: items('README', 'tutorial', 'cookbook', 'migrating', 'when-a-run-fails') },
      { text: 'Use', items: items('editors', 'page', 'ci', 'agents', 'secrets', 'scaling', 'embedding') },
      {
        text: 'Reference',
        items: items(
          ...[
            'README',
            'files',
            'commands',
            'command-line',
            'variables',
            'inputs',
            'conditions',
            'outputs',
            'hooks',
          ].map((name) => `reference/${name}`),
          ...['failures', 'execution', 'resuming', 'up-to-date', 'secrets', 'plans', 'documents', 'reports'].map(
            (name) => `reference/${name}`,
          ),
          ...['exporting', 'library', 'debugging', 'diagnostics', 'limits'].map((name) => `reference/${name}`),
        ),
      },
      { text: 'Background', items: items('design', 'reliability', 'performance', 'releasing') },
    ],
  },
});

/** The text of a heading, as GitHub reads it. */
function textOf(tokens) {
  return tokens
    .filter(({ type }) => ['text', 'code_inline'].includes(type))
    .map(({ content }) => content)
    .join('');
}

/** The documents are outside of this directory: what their pages import is here. */
function aliases() {
  const modules = join(ROOT, 'site/node_modules');
  return [
    { find: /^vue$/, replacement: join(modules, 'vue') },
    { find: /^vue\/server-renderer$/, replacement: join(modules, 'vue/server-renderer') },
  ];
}
