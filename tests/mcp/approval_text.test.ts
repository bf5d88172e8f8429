/* The text that a person approves. Golden texts are in fixtures/views. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvalLines, approvalText, startOfText } from '../../src/cli/run_data/agents/approval_text.ts';
import { parseWorkflowFile } from '../../src/frontend/parse.ts';
import { compile } from '../../src/ir/compile.ts';
import { link } from '../../src/ir/link.ts';
import type { Variable } from '../../src/ir/plan.ts';
import { planDigest, type DigestedPlan } from '../../src/ir/views/plan_digest.ts';
import { CHECKER_PARTS, compiled } from '../support/plans.ts';
import { caseNumbers } from '../support/random/fuzzing.ts';
import { random, SEED } from '../support/random/random.ts';
import { randomFile } from '../support/random/random_file.ts';
import { changedText, fileTexts, ROOT_FILE } from '../support/random/random_file_text.ts';

/** A plan that is linked to nothing. */
function digested(file: object, params: readonly Variable[] = []): DigestedPlan {
  const written = compiled(JSON.stringify(file), 'ci', params);
  return { plan: link(written, { inherited: {}, dotenv: new Map() }).plan, written, args: [] };
}

const ci = (steps: readonly unknown[], rest: object = {}): object => ({ ...rest, workflows: { ci: { steps } } });
const call = (from: string): object => ({ workflow: 'sub', with: { FROM: from } });
const lines = (count: number): readonly string[] => Array.from({ length: count }, () => 'x');
const linesOf = (file: object): readonly string[] => [...approvalLines(digested(file))];

test('every line of a command is after a bar, so that none passes for a step, a hook or a variable', () => {
  const forged = [
    'true',
    '  - harmless',
    '[finally]',
    'sets A=1',
    '> build: workflow build',
    '',
    '| x',
    'workflow other',
  ];
  const lines = linesOf(ci([{ name: 'a', run: forged.join('\n') }], { finally: forged }));
  const shown = forged.map((line) => `    |${line === '' ? '' : ' '}${line}`);
  assert.deepEqual(lines, [
    'workflow ci',
    '  - a',
    ...shown,
    '  [finally]  (ends at the first line that fails)',
    ...shown,
  ]);
});

test('names, directories, values and questions that could pass for something else are quoted', () => {
  const step = {
    name: 'a  (may fail)',
    run: 'true',
    dir: 'b; may fail',
    confirm: 'c"; may fail',
    with: { D: 'e\n- f' },
  };
  assert.deepEqual(linesOf(ci([step], { env: { G: '', H: ' i', J: 'ž' } })), [
    'workflow ci',
    '  sets G=',
    '  sets H=" i"',
    '  sets J=ž',
    String.raw`  - "a  (may fail)"  (in "b; may fail"; asks "c\"; may fail")`,
    String.raw`    sets D="e\n- f"`,
    '    | true',
  ]);
});

test('characters that hide or change others are escaped in every text, and parts of an emoji are not', () => {
  const unsafe = '\u202e\u2066\u200b\u00ad\u00a0\u3164\u2800\ufeff\u{e0041}\u0085\u2028\r\u007f';
  const escaped = String.raw`\u202e\u2066\u200b\u00ad\u00a0\u3164\u2800\ufeff\udb40\udc41\u0085\u2028\u000d\u007f`;
  const lines = linesOf(
    ci([{ run: `a${unsafe}\tb ⚠️ 👩‍💻 é 漢`, with: { A: '\u202e' } }], { env: { B: '\u001b]8;;x' } }),
  );
  assert.deepEqual(lines, [
    'workflow ci',
    String.raw`  sets B="\u001b]8;;x"`,
    '  - step_1',
    String.raw`    sets A="\u202e"`,
    `    | a${escaped}\tb ⚠️ 👩‍💻 é 漢`,
  ]);
  const [given, and] = approvalLines(digested(ci(['true'])), ['a\u202e', 'b\nc']);
  assert.deepEqual([given, and], [String.raw`a\u202e`, 'b']);
});

test('no value of a secret is in the text, whether a name, an input, a parameter or a reference makes it one', () => {
  const file = {
    env: { API_TOKEN: 'hidden-1', URL: 'https://${vars.API_TOKEN}@x' },
    secrets: { KEY: { command: ['get', '${vars.API_TOKEN}', 'key'] } },
    workflows: {
      ci: {
        inputs: { PIN: { secret: true, default: 'hidden-2' }, CODE: { secret: true, options: ['hidden-3'] } },
        steps: [
          { run: 'true', secrets: ['KEY'], dir: 'x/${vars.URL}', sources: ['${vars.API_TOKEN}/**'] },
          { run: 'true', with: { MY_PASSWORD: 'hidden-4' } },
        ],
      },
    },
  };
  const text = [...approvalLines(digested(file, [['CODE', 'hidden-3']]))].join('\n');
  assert.doesNotMatch(text, /hidden/);
  assert.match(text, /gets KEY from \["get","\*\*\*","key"\], at most 1m\n/);
});

test('two secrets of one name show their programs wherever a command gets one of them', () => {
  const file = {
    secrets: { KEY: { command: ['get', '${vars.FROM}'] }, OTHER: { command: ['other'] } },
    workflows: {
      ci: {
        steps: [call('a'), call('b'), call('a'), { run: 'x', secrets: ['OTHER'] }, { run: 'y', secrets: ['OTHER'] }],
      },
      sub: { env: { FROM: 'c' }, steps: [{ run: 'true', secrets: ['KEY'] }] },
    },
  };
  assert.deepEqual(
    linesOf(file).filter((line) => line.includes('gets')),
    [
      '      gets KEY from ["get","a"], at most 1m',
      '      gets KEY from ["get","b"], at most 1m',
      '      gets KEY from ["get","a"], at most 1m',
      '    gets OTHER from ["other"], at most 1m',
      '    gets OTHER',
    ],
  );
});

test('a text of 400 lines and of 32 KiB can be approved, and no longer one', () => {
  assert.equal(approvalText(lines(400)), lines(400).join('\n'));
  assert.equal(approvalText(lines(401)), undefined);
  assert.equal(approvalText(['a', 'é'.repeat(16_383)])?.length, 16_385);
  assert.equal(approvalText(['ab', 'é'.repeat(16_383)]), undefined);
});

test('a plan of 1,200 steps is too long to be approved, and its start is cut at 24,000 characters', () => {
  const long = digested(ci(Array.from({ length: 1200 }, (_, index) => `echo ${index} 😀`)));
  assert.equal(approvalText(approvalLines(long)), undefined);
  const start = startOfText(approvalLines(long));
  assert.ok(start.length <= 24_000 && start.length >= 23_998 && start.isWellFormed(), String(start.length));
  assert.equal(`${[...approvalLines(long)].join('\n').slice(0, start.length - 1)}…`, start);
  const short = digested(ci(['true']));
  assert.equal(startOfText(approvalLines(short)), 'workflow ci\n  - step_1\n    | true');
});

/** The linked plan of the first workflow of a text; undefined if the text is invalid. */
function planIn(text: string): DigestedPlan | undefined {
  const parsed = parseWorkflowFile(Buffer.from(text), CHECKER_PARTS);
  const [workflow] = parsed.file?.workflows.keys() ?? [];
  if (parsed.kind !== 'valid' || workflow === undefined) return undefined;
  const result = compile(parsed.file, workflow, [], null);
  if (result.kind !== 'plan') return undefined;
  return { plan: link(result.plan, { inherited: {}, dotenv: new Map() }).plan, written: result.plan, args: [] };
}

test('of two random files with different digests, the texts differ: whatever counts is in the text', () => {
  let different = 0;
  for (const index of caseNumbers(200)) {
    const source = random(SEED + index);
    const text = fileTexts(randomFile(source, { references: source.chance(0.5), once: true }), source)[ROOT_FILE] ?? '';
    const [one, other] = [text, changedText(text, source)].map(planIn);
    if (one === undefined || other === undefined || planDigest(one) === planDigest(other)) continue;
    const [first, second] = [one, other].map((plan) => [...approvalLines(plan)].join('\n'));
    assert.notEqual(first, second, `FUZZ_SEED=${SEED + index}`);
    different += 1;
  }
  assert.ok(different > 5, `${different} different`);
});
