import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, constantFrom, property } from 'fast-check';
import { editScript } from '../../src/ir/compare/edit_script.ts';

function edits(before: string, after: string): string {
  const signs = { same: '', removed: '-', added: '+' };
  return editScript(before.split(''), after.split(''), (item) => item)
    .map(({ kind, item }) => signs[kind] + item)
    .join('');
}

test('an edit script has the minimum number of edits', () => {
  assert.equal(edits('', ''), '');
  assert.equal(edits('abc', 'abc'), 'abc');
  assert.equal(edits('abc', ''), '-a-b-c');
  assert.equal(edits('', 'abc'), '+a+b+c');
  assert.equal(edits('abcd', 'acd'), 'a-bcd');
  assert.equal(edits('acd', 'abcd'), 'a+bcd');
  assert.equal(edits('abcabba', 'cbabac').replaceAll(/[^+-]/g, '').length, 5);
});

const texts = array(constantFrom('a', 'b', 'c'), { maxLength: 30 });

test('an edit script transforms one sequence into the other, and is minimal', () => {
  check(
    property(texts, texts, (before, after) => {
      const script = editScript(before, after, (item) => item);
      const without = (kind: string): string[] => script.flatMap((edit) => (edit.kind === kind ? [] : edit.item));
      assert.deepEqual([without('added'), without('removed')], [before, after]);
      assert.equal(script.filter(({ kind }) => kind === 'same').length, longestCommon(before, after));
    }),
  );
});

function longestCommon(before: readonly string[], after: readonly string[]): number {
  let row = after.map(() => 0);
  for (const item of before) {
    const next: number[] = [];
    for (const [index, other] of after.entries()) {
      const corner = row[index - 1] ?? 0;
      next.push(item === other ? corner + 1 : Math.max(row[index] ?? 0, next[index - 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

test('sequences without common elements are replaced, whatever their length', () => {
  const [before, after] = ['old', 'new'].map((name) =>
    Array.from({ length: 20_000 }, (_, index) => `${name} ${index}`),
  );
  const script = editScript(before ?? [], after ?? [], (item) => item);
  assert.equal(script.length, 40_000);
  assert.deepEqual(script[20_000], { kind: 'added', item: 'new 0' });
});
