import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { findBareComparison, findConditionProblem } from '../../src/frontend/syntax/condition_syntax.ts';
import { SEED } from '../support/random/random.ts';

describe('conditions in the language of another tool, or with an unterminated quote', () => {
  for (const [condition, problem] of [
    ["${{ github.ref == 'refs/heads/main' }}", 'expression'],
    ['[ "${{ inputs.publish }}" = true ]', 'expression'],
    ['$(echo ${{ a }})', 'expression'],
    ['{{.PUBLISH}}', 'template'],
    ['{{ eq .OS "linux" }}', 'template'],
    ['[ {{publish}} = true ]', 'template'],
    ['a;{{b}}', 'template'],
    ['! {{ a }}', 'template'],
    ['[ "$A" = "main ]', 'double quote'],
    ['test "$(date +"%d)"', 'double quote'],
    ["grep 'x", 'single quote'],
    ["grep $'it\\'", 'single quote'],
    ['test `date', 'backquote'],
  ] as const) {
    test(`the condition ${condition} is a problem: ${problem}`, () => {
      assert.equal(findConditionProblem(condition), problem);
    });
  }
});

describe('conditions with valid shell syntax', () => {
  for (const condition of [
    'PUBLISH',
    "docker inspect -f '{{.State}}' app",
    'docker inspect -f "{{.State}}" app | grep up',
    "echo '${{ a }}'",
    'true # ${{ a }} {{ b }} it\'s "',
    'true; #it\'s\n[ "$A" = b ]',
    "grep x <<END\n{{ a }} it's\nEND",
    'cat <<< "it\'s"',
    'ls {{a,b},{c,d}}.txt',
    'ls {{1..3},x}',
    'echo a{{b}}',
    'test "\\"" = "\'"',
    'test \\\' = "\'"',
    `echo "$(grep "it's" file)" '"'`,
    `test "\${A:-it's}" = x`,
    `test \${A:-'}'} = x`,
    `[ "$(case x in x) echo 'a"b' ;; esac)" = x ]`,
    'test $# -gt 0 && test "${#A}" = 3',
    'test "${steps.it\'s.X}" = "${steps.a.X:-it\'s}"',
    '[ $((1 << 2)) = 4 ]',
    "test $'it\\'s' = \"it's\"",
    'a\\',
  ]) {
    test(`the condition ${condition} is not a problem`, () => {
      assert.equal(findConditionProblem(condition), undefined);
    });
  }
});

test('bash rejects every condition that is reported for an unterminated quote', () => {
  const pieces = fc.constantFrom('"', "'", '`', '\\', '$(', ')', '${A}', ' ', 'a', '#', "$'");
  const conditions = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(conditions, (condition) => {
      fc.pre(findConditionProblem(condition) !== undefined);
      return spawnSync('bash', ['-nc', condition]).status !== 0;
    }),
    { numRuns: 300, seed: SEED },
  );
});

describe('comparisons outside a test', () => {
  for (const [condition, operator, variable] of [
    ['BRANCH == main', '==', 'BRANCH'],
    ['$BRANCH = main', '=', 'BRANCH'],
    ['"$BRANCH" != "main"', '!=', 'BRANCH'],
    ['! "${BRANCH}" == main && true', '==', 'BRANCH'],
    ["'a b' =", '=', undefined],
    ['$(git branch) == main', '==', undefined],
    ['$(a $(b) == c) == main', undefined, undefined],
    ['$(pwd) == main', '==', undefined],
    ['[ a = b ]', undefined, undefined],
    ['! [[ a == b ]]', undefined, undefined],
    ['test a = b', undefined, undefined],
    ['echo = a', undefined, undefined],
    ['printf == a', undefined, undefined],
    ['expr = a', undefined, undefined],
    ['[ = = ]', undefined, undefined],
    ['A=b', undefined, undefined],
    ['a b == c', undefined, undefined],
    ['PUBLISH', undefined, undefined],
  ] as const) {
    test(`the comparison outside a test in ${condition} is ${operator ?? 'none'}`, () => {
      assert.deepEqual(findBareComparison(condition), operator === undefined ? undefined : { operator, variable });
    });
  }
});
