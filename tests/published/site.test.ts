import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { ROOT, temporaryDirectory } from '../support/cli.ts';
import { findingItems } from '../support/tables/finding_codes.ts';

const Site = v.object({ deadLinks: v.function(), largePages: v.function(), codeOf: v.function() });

const modules = ['check_links', 'pages'].map(async (name): Promise<object> => {
  return v.parse(v.looseObject({}), await import(pathToFileURL(join(ROOT, `site/${name}.mjs`)).href));
});
const { deadLinks, largePages, codeOf } = v.parse(Site, Object.assign({}, ...(await Promise.all(modules))));

test('each code of an error or warning is the id of its item on the site', () => {
  const items = findingItems().map((item) => item.slice(2));
  assert.ok(items.length > 45);
  for (const item of items) assert.equal(`\`${String(codeOf(item))}\``, item.split(':')[0]);
  assert.equal(codeOf('`cannot read`: x'), undefined);
});

test('a dead link or anchor of the site is named with both ends, in llms.txt, too', (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'reference'));
  writeFileSync(
    join(directory, 'index.html'),
    '<h2 id="a&amp;b"></h2><a href="./reference/#x">1</a><a href="#a%26b">2</a>',
  );
  writeFileSync(
    join(directory, 'reference/index.html'),
    '<a href="../index.html#c">1</a> <img src="/b/none.png"> <a href="/other/">2</a> <a href="https://x.org/#y">3</a>',
  );
  writeFileSync(join(directory, 'llms.txt'), '- [One](/b/reference/)\n- [Two](/b/two.html)\n');
  assert.deepEqual(
    new Set(v.parse(v.array(v.string()), deadLinks(directory, '/b/'))),
    new Set([
      "index.html: ./reference/#x: reference/index.html has no anchor 'x'",
      "reference/index.html: ../index.html#c: index.html has no anchor 'c'",
      'reference/index.html: /b/none.png: there is no none.png',
      'reference/index.html: /other/: outside of /b/',
      'llms.txt: /b/two.html: there is no two.html',
    ]),
  );
});

test('a document of the site is too large with its scripts and styles, and images do not count', (t) => {
  const directory = temporaryDirectory(t);
  const text = Array.from({ length: 300 }, (_, n) => String(n ** 5)).join('');
  writeFileSync(join(directory, 'a.html'), '<script src="/b/x.js"></script><link href="/b/y.css"><img src="/b/z.svg">');
  for (const name of ['x.js', 'y.css', 'z.svg']) writeFileSync(join(directory, name), text);
  assert.deepEqual(largePages(directory, '/b/', 100_000), []);
  const [found = ''] = v.parse(v.array(v.string()), largePages(directory, '/b/', 1000));
  assert.match(found, /^a\.html: \d{4} bytes with its scripts and styles; the limit is 1000$/);
  assert.ok(Number(/\d{4}/.exec(found)?.[0]) < 4000);
});
