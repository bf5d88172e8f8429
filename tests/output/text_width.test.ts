import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truncateEnd, truncateMiddle, widthOf, wrapLine } from '../../src/cli/output/text_width.ts';

const FAMILY = '👨‍👩‍👧‍👦';

for (const [what, text, width] of [
  ['letters', 'abc', 3],
  ['a letter with a combining accent', 'e\u0301', 1],
  ['East Asian letters', '東京', 4],
  ['an emoji', '🚀', 2],
  ['a sign in its emoji form', '⚠\uFE0F', 2],
  ['the same sign without U+FE0F', '⚠', 1],
  ['an emoji in its text form', '⌚\uFE0E', 1],
  ['an emoji with a skin tone', '👍🏽', 2],
  ['a flag', '🇩🇪', 2],
  ['two flags', '🇩🇪🇫🇷', 4],
  ['the flag of England, made of tags', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}', 2],
  ['a keycap', '1\uFE0F\u20E3', 2],
  ['a family of four, joined', FAMILY, 2],
  ['a heart on fire, joined', '❤\uFE0F‍🔥', 2],
  ['digits', '2026', 4],
  ['coloured text', '\x1b[31m⚠\uFE0F no\x1b[0m', 5],
] as const) {
  test(`${what} has ${width} columns`, () => {
    assert.equal(widthOf(text), width);
  });
}

test('a text is truncated between emoji, never inside one', () => {
  assert.equal(truncateEnd(`${FAMILY}${FAMILY}${FAMILY}`, 5), `${FAMILY}${FAMILY}…`);
  assert.equal(truncateEnd(`${FAMILY}${FAMILY}${FAMILY}`, 4), `${FAMILY}…`);
  assert.equal(truncateMiddle('🇩🇪🇫🇷🇮🇹🇪🇸🇵🇹', 8), '🇩🇪🇫🇷…🇵🇹');
});

test('a line is broken at words, with its indentation and more, and a command at its end is not broken', () => {
  assert.deepEqual(wrapLine('  one two three', 13), ['  one two', '      three']);
  assert.deepEqual(wrapLine('  one two three', 15), ['  one two three']);
  assert.deepEqual(wrapLine('\x1b[31m  one two three\x1b[0m', 13), ['\x1b[31m  one two', '      three\x1b[0m']);
  assert.deepEqual(wrapLine('cli: to continue: cli resume --last --logs', 30), [
    'cli: to continue:',
    '    cli resume --last --logs',
  ]);
});
