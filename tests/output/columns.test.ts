import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inColumns, table } from '../../src/cli/output/columns.ts';

test('a table is aligned by width on the screen, with a dash for a missing value', () => {
  assert.deepEqual(table([['1', '発布', 'ok'], ['20', null, 'failed\n'], []]), [
    '1   発布  ok\n',
    '20  -     failed\\n\n',
    '\n',
  ]);
});

test('a table that does not fit has its widest columns cut, and its last text wrapped', () => {
  const rows = [['NPM_TOKEN', 'op read op://ci/npm/token', 'release/publish, release/announce']];
  assert.deepEqual(table(rows, 50), [
    'NPM_TOKEN  op read op://ci/…  release/publish,\n                              release/announce\n',
  ]);
});

test('at a terminal, a wide first text has its own line, and the last text is wrapped', () => {
  const rows = [
    ['東京', '1 step', 'one two three four five six seven'],
    ['a-name-wider-than-half-of-it', '12 steps', ''],
  ];
  assert.deepEqual(inColumns(rows, 40), [
    ['東京  1 step    one two three four five', '                six seven'],
    ['a-name-wider-than-half-of-it', '      12 steps'],
  ]);
  assert.deepEqual(inColumns(rows), [
    ['東京                          1 step    one two three four five six seven'],
    ['a-name-wider-than-half-of-it  12 steps'],
  ]);
});
