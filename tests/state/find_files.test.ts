import assert from 'node:assert/strict';
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findFiles } from '../../src/records/up_to_date/find_files.ts';
import { parsePatterns } from '../../src/records/up_to_date/patterns.ts';
import { temporaryDirectory } from '../support/cli.ts';

const FILES = [
  'a.c',
  'a.h',
  '.hidden.c',
  'b[1].c',
  'src/a.c',
  'src/a_test.c',
  'src/deep/er/a.c',
  'src/.git/a.c',
  'node_modules/m/a.c',
  'src/.cli/runs/a.c',
  'src/runs/a.c',
  'other/x (1)+@.c',
];

/** Patterns, the files that they match, and those that match none. */
const CASES: readonly (readonly [
  patterns: readonly string[],
  files: readonly string[],
  unmatched?: readonly string[],
])[] = [
  [['*.c'], ['.hidden.c', 'a.c', 'b[1].c']],
  [['?.[ch]'], ['a.c', 'a.h']],
  [['a.{c,h}'], ['a.c', 'a.h']],
  [['./src/*.c'], ['src/a.c', 'src/a_test.c']],
  [['src/'], ['src/a.c', 'src/a_test.c', 'src/deep/er/a.c', 'src/runs/a.c']],
  [['s*'], ['src/a.c', 'src/a_test.c', 'src/deep/er/a.c', 'src/runs/a.c']],
  [['**/er'], ['src/deep/er/a.c']],
  [['src/**/a.c'], ['src/a.c', 'src/deep/er/a.c', 'src/runs/a.c']],
  [
    ['**/*_test.c', 'a.c'],
    ['a.c', 'src/a_test.c'],
  ],
  [
    ['src', '!src/**/*_test.c', '!**/runs'],
    ['src/a.c', 'src/deep/er/a.c'],
  ],
  [
    ['src', '!src', 'src/a*'],
    ['src/a.c', 'src/a_test.c'],
  ],
  [['src/.git'], ['src/.git/a.c']],
  [['**/node_modules/**/*.c'], ['node_modules/m/a.c']],
  [['src/.cli/runs/*'], ['src/.cli/runs/a.c']],
  [['b\\[1\\].c'], ['b[1].c']],
  [['other/x (1)+@.*'], ['other/x (1)+@.c']],
  [['link'], ['link/a.c']],
  [['link/*.c'], ['link/a.c']],
  [['l*'], ['link']],
  [['none', '*.none', 'a.c'], ['a.c'], ['none', '*.none']],
  [['a.c', '!a.c'], []],
  [['*.h/x', 'a.h'], ['a.h'], ['*.h/x']],
];

test('patterns match the files that the reference says', async (t) => {
  const cwd = temporaryDirectory(t, Object.fromEntries(FILES.map((path) => [path, ''])));
  symlinkSync('src/deep/er', join(cwd, 'link'));
  const before = process.cwd();
  process.chdir(cwd);
  t.after(() => process.chdir(before));
  for (const [patterns, files, unmatched = []] of CASES) {
    const found = findFiles(await parsePatterns(patterns, process.cwd()));
    assert.deepEqual([found.paths, found.unmatched], [files, unmatched], patterns.join(' '));
  }
  const here = process.cwd();
  process.chdir('other');
  const patterns = await parsePatterns(['../a.?', `${here}/a.h`, `${here}/other/x*`], process.cwd());
  assert.deepEqual(findFiles(patterns).paths, ['../a.c', `${here}/a.h`, 'x (1)+@.c'].toSorted());
  process.chdir(here);
  const made = await parsePatterns(['src/*_test.c', '!**/a_test.c', '**/er'], here);
  assert.deepEqual(findFiles(await parsePatterns(['src'], here), made).paths, [
    'src/a.c',
    'src/a_test.c',
    'src/runs/a.c',
  ]);
  const outside = realpathSync(temporaryDirectory(t, { 'a.c': '' }));
  assert.deepEqual(findFiles(await parsePatterns([outside], here)).paths, [`${outside}/a.c`]);
});
