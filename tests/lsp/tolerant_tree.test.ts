import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decode } from '../../src/frontend/syntax/decode.ts';
import { parseJson } from '../../src/frontend/syntax/json_parser.ts';
import { parseTolerantly } from '../../src/frontend/syntax/json_problems.ts';
import { FIXTURES } from '../support/goldens/goldens.ts';

test('the tolerant tree of every valid file is the strict one', () => {
  const paths = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((path) => /\.json\w*$/.test(path));
  let valid = 0;
  for (const path of paths) {
    const { text } = decode(readFileSync(join(FIXTURES, path)));
    const strict = parseJson(text, 7);
    if (strict === undefined) continue;
    valid += 1;
    assert.deepEqual(parseTolerantly(text, 7), strict, path);
  }
  assert.ok(valid > 300, `${valid} valid files`);
});

/** The tree of a text without its ranges. */
function keysOf(text: string): string {
  return JSON.stringify(parseTolerantly(text), ['kind', 'members', 'items', 'key', 'value']);
}

test('the tolerant tree has what precedes and follows a mistake', () => {
  const whole = '{"a":[{"b":"1"}],"c":"2"}';
  for (const broken of ['{"a":[{"b":"1"}],"c":"2"', '{"a":[{"b":"1"}] "c":"2"}', '{"a":[{"b":"1",}],"c":"2",}']) {
    assert.equal(keysOf(broken), keysOf(whole), broken);
  }
  assert.equal(parseTolerantly(' // nothing'), undefined);
});
