// Serves site/dist on a free port, or on that of PORT, and prints the address.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { BASE } from './pages.mjs';

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://site');
  const path = pathname.startsWith(BASE) ? fileOf(pathname.slice(BASE.length)) : undefined;
  if (path === undefined) {
    response.writeHead(pathname === '/' ? 302 : 404, pathname === '/' ? { Location: BASE } : {});
    response.end();
    return;
  }
  response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream' });
  createReadStream(path).pipe(response);
});
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}${BASE}\n`);
});

/** The file of an address; undefined if there is none. */
function fileOf(address) {
  let path;
  try {
    path = normalize(join('/', decodeURIComponent(address)));
  } catch {
    return undefined;
  }
  const found = [path, `${path}.html`, join(path, 'index.html')].find(isFile);
  return found === undefined ? undefined : join('site/dist', found);
}

function isFile(path) {
  return statSync(join('site/dist', path), { throwIfNoEntry: false })?.isFile() === true;
}
