import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The maximum size of a document with its scripts and styles, compressed and without images, in bytes. */
const LIMIT = 100_000;

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

/** The documents of a built site that are larger than the limit, each with its size. */
export function largePages(directory, base, limit = LIMIT) {
  const sizeOf = (path) => gzipSync(readFileSync(join(directory, path))).length;
  const pages = readdirSync(directory, { encoding: 'utf8', recursive: true });
  return pages.flatMap((page) => {
    if (!page.endsWith('.html') || page.startsWith('playground/')) return [];
    const text = readFileSync(join(directory, page), 'utf8');
    const loaded = new Set([...text.matchAll(/\s(?:href|src)="([^"]+\.(?:js|css))"/g)].map(([, link]) => link));
    const files = [...loaded].flatMap((link) => (link.startsWith(base) ? link.slice(base.length) : []));
    const size = [page, ...files].reduce((sum, path) => sum + sizeOf(path), 0);
    return size <= limit ? [] : [`${page}: ${size} bytes with its scripts and styles; the limit is ${limit}`];
  });
}
