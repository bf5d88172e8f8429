/* The pages of the site and their addresses. */
import { readFileSync } from 'node:fs';

export const REPOSITORY = 'https://github.com/workflow-plan/workflow-plan/blob/main';

/** The base of the addresses: the name of the repository on GitHub Pages. */
export const BASE = process.env['SITE_BASE'] ?? '/workflow-plan/';

/** The pages outside of docs/, and their addresses. */
export const OTHERS = {
  'README.md': 'readme.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
};

/** The address of a file in the repository; undefined if it is no page. */
export function pageOf(path) {
  if (OTHERS[path] !== undefined) return OTHERS[path];
  if (path === 'docs/README.md') return 'documentation.md';
  if (!path.startsWith('docs/') || !path.endsWith('.md')) return undefined;
  return path.slice('docs/'.length).replace(/README\.md$/, 'index.md');
}

/** The file in the repository of a page. */
export function sourceOfPage(page) {
  const [other] = Object.entries(OTHERS).find(([, address]) => address === page) ?? [];
  if (other !== undefined) return other;
  return page === 'documentation.md' ? 'docs/README.md' : `docs/${page.replace(/(^|\/)index\.md$/, '$1README.md')}`;
}

/** The title of a document: its first heading. */
export function titleOf(path) {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

/** The code of an error or a warning at the start of an item of a list, which is the id of the item; undefined for other items. */
export function codeOf(item) {
  return /^`([a-z]+(?:-[a-z]+)*)`: /.exec(item)?.[1];
}
