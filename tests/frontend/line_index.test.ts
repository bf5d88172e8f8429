import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LineIndex } from '../../src/frontend/syntax/line_index.ts';

test('lines end at LF, CR and CR LF, in any order', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r', '\r\n') });
  fc.assert(
    fc.property(texts, (text) => {
      const lines = text.split(/\r\n|\r|\n/);
      const index = new LineIndex(text);
      const found = lines.map((_, at) => {
        const { start, end } = index.span(at + 1);
        return text.slice(start, end);
      });
      assert.deepEqual(found, lines);
      const last = lines.at(-1) ?? '';
      assert.deepEqual(index.position(text.length), { line: lines.length, column: last.length + 1 });
    }),
  );
});
