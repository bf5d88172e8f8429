import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isSecret, mentionsSecret, PUBLIC_ENDS, SECRET_WORDS, secretOutputs } from '../../src/ir/secret_names.ts';
import { ROOT } from '../support/cli.ts';
import { compiled } from '../support/plans.ts';
import { ci } from '../support/workflow.ts';

/** Names that contain a word: alone, next to other parts, inside a part. */
const around = (word: string): string[] => [word, `MY_${word}`, `${word}_2`, `X${word}X`, word.toLowerCase()];

describe('secret names', () => {
  for (const word of SECRET_WORDS.anywhere) {
    test(`a name that contains ${word} is secret`, () => assert.deepEqual(around(word).filter(isSecret), around(word)));
  }
  for (const word of SECRET_WORDS.beforeKey) {
    test(`a name with ${word} before KEY is secret`, () => {
      const names = [`${word}_KEY`, `${word}KEY`, `MY_${word}_KEYS`, `${word}-KEY`, `my_${word.toLowerCase()}_key_b64`];
      assert.deepEqual(names.filter(isSecret), names);
      assert.deepEqual([word, `${word}_X_KEY`, 'KEY'].filter(isSecret), []);
    });
  }
  for (const word of SECRET_WORDS.wholePart) {
    test(`a name with ${word} as a whole part is secret`, () => {
      assert.deepEqual([...around(word), `${word}2`].filter(isSecret), [
        word,
        `MY_${word}`,
        `${word}_2`,
        word.toLowerCase(),
      ]);
    });
  }
  test('a name with a part that ends in _PWD is secret', () => {
    assert.deepEqual(['DB_PWD', 'DB_PWD_2', 'PWD', 'OLDPWD', 'DB_PWDS'].filter(isSecret), ['DB_PWD', 'DB_PWD_2']);
  });
});

test('a name that ends in a word for a location or an identifier is not secret', () => {
  for (const end of PUBLIC_ENDS) {
    const names = [`ASC_PRIVATE_KEY_${end}`, `TOKEN_${end}`, `db_password_${end.toLowerCase()}`];
    assert.deepEqual(names.filter(isSecret), [], end);
    assert.ok(isSecret(`TOKEN_${end}_2`) && isSecret(`TOKEN${end}`), end);
  }
});

test('the URL of a key is not secret, but the URL of another secret is', () => {
  const names = ['API_KEY_URL', 'signing_key_url', 'TOKEN_URL', 'DB_PASSWORD_URL', 'AUTH_URL', 'API_KEY_URLS'];
  assert.deepEqual(names.filter(isSecret), names.slice(2));
});

test('a text mentions a secret if it contains a secret name', () => {
  assert.deepEqual(
    ['"API_TOKEN": "x", "A_NAME', '"API_TOKEN_PATH": "x"', '', '"API_TOKEN x_PATH"'].map(mentionsSecret),
    [true, false, false, true],
  );
});

test('an output is secret if its name is, or if a variable with a secret name refers to it', () => {
  const give = { name: 'give', run: 'give', outputs: { WORD: '$', OTHER: '$', TOKEN: '$' } };
  const use = { run: 'use', with: { API_KEY: 'x-${steps.give.WORD}', KEY_ID: '${steps.give.OTHER}' } };
  const plan = compiled(JSON.stringify(ci([{ ...give, name: 'other' }, give, use])), 'ci');
  const isSecretOutput = secretOutputs(plan);
  const secret = plan.ops
    .slice(0, 2)
    .map((op) => ['WORD', 'OTHER', 'TOKEN'].filter((name) => isSecretOutput(op, name)));
  assert.deepEqual(secret, [['TOKEN'], ['WORD', 'TOKEN']]);
});

test('SECURITY.md lists the same words', () => {
  const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
  const wordsOf = (pattern: RegExp): string[] => {
    const [found = ''] = pattern.exec(text) ?? [];
    return [...found.matchAll(/`_?([A-Z]+)`/g)].map(([, word = '']) => word);
  };
  assert.deepEqual(wordsOf(/^- contains `TOKEN`.*$/m), SECRET_WORDS.anywhere);
  assert.deepEqual(wordsOf(/^- contains one of .* followed/m), SECRET_WORDS.beforeKey);
  assert.deepEqual(wordsOf(/^- has .* as a whole part/m), SECRET_WORDS.wholePart);
  assert.deepEqual(wordsOf(/^A name that ends in .* is not secret/m), PUBLIC_ENDS);
});
