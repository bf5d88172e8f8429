import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The links of a built site that lead to no page, file or anchor of it, each with the page that has it. */
export function deadLinks(directory, base) {
  const pages = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(?:html|txt)$/.test(path),
  );
  const texts = new Map(pages.map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
  const anchors = new Map([...texts].map(([path, text]) => [path, new Set(idsIn(text))]));
  return [...texts].flatMap(([page, text]) =>
    [...new Set(linksIn(page, text))].flatMap((link) => {
      const { origin, pathname, hash } = new URL(link, `http://site${base}${page}`);
      if (origin !== 'http://site') return [];
      if (!pathname.startsWith(base)) return [`${page}: ${link}: outside of ${base}`];
      const path = relative('/', `/${decodeURIComponent(pathname.slice(base.length))}`);
      const target = [path, `${path}.html`, join(path, 'index.html')].find((each) => isFile(join(directory, each)));
      if (target === undefined) return [`${page}: ${link}: there is no ${path}`];
      const anchor = decodeURIComponent(hash.slice(1));
      const isThere = anchor === '' || anchors.get(target)?.has(anchor) !== false;
      return isThere ? [] : [`${page}: ${link}: ${target} has no anchor '${anchor}'`];
    }),
  );
}

function isFile(path) {
  return /\.\w+$/.test(path) && existsSync(path);
}

function idsIn(html) {
  return [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => unescape(id));
}

function linksIn(page, text) {
  if (page.endsWith('.txt')) return [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
  return [...text.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, link]) => unescape(link));
}

function unescape(text) {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}
