/* Secrets in commands that show a workflow, in messages and in masks. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { inProcess, quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';

const FILE = {
  secrets: {
    WORD: { command: ['op', 'read', 'op://${vars.STAGE}/the word'] },
    OTHER: { command: ['vault', 'kv', 'get'], value: '$.data.value', timeout: '20s' },
  },
  env: { STAGE: 'dev' },
  error: { run: './alert.sh', secrets: ['OTHER'] },
  workflows: {
    ci: {
      steps: [
        'make',
        { name: 'use', run: 'echo "$WORD" | ./use.sh', secrets: ['WORD'] },
        { name: 'both', if: 'STAGE', run: './both.sh', secrets: ['OTHER', 'WORD'] },
      ],
    },
  },
};

/** The program of the secret OTHER in a plan. */
const other = (verb: string): string => `OTHER from ["vault","kv","${verb}"] at $.data.value, at most 20s`;

/** A step whose output is a secret. */
const print = (name: string): object => {
  return { name, run: `echo "<$${name}>"`, secrets: [name], outputs: { TEXT: 'text' } };
};

test('a parameter with the name of a secret is refused, and its value is not repeated', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const message = "cli: 'WORD' is a secret of the file; set it in the environment, not on the command line\n";
  for (const words of ['run', 'run -n', 'explain', 'plan', 'graph', 'workflow run --dry-run']) {
    const { code, stdout, stderr } = await inProcess(t, [...words.split(' '), 'ci', 'WORD:S3cr3t'], { cwd });
    assert.deepEqual([code, stdout, stderr], [2, '', message], words);
  }
});

test('explain names the source of a secret, in the steps that list it', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const { code, stdout, stderr } = await inProcess(t, ['explain', 'ci'], { cwd, env: { OTHER: 'S3cr3t' } });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout,
    [
      'step_1  (step 1 of ci)',
      '  $ make',
      '  STAGE=dev  (global env)',
      'use  (step 2 of ci)',
      '  $ echo "$WORD" | ./use.sh',
      '  STAGE=dev  (global env)',
      "  WORD=***  (secret: op read 'op://dev/the word')",
      'both  (step 3 of ci)',
      '  $ ./both.sh',
      '  STAGE=dev  (global env)',
      '  OTHER=***  (environment)',
      '    not ***  (secret: vault kv get)',
      "  WORD=***  (secret: op read 'op://dev/the word')",
      '',
    ].join('\n'),
  );
});

test('a plan names the programs of its secrets, and has no value', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const { code, stdout } = await inProcess(t, ['workflow', 'plan', 'ci', '--format', 'json'], {
    cwd,
    env: { WORD: 'S3cr3t' },
  });
  const { format, lines } = JSON.parse(stdout);
  assert.deepEqual([code, format, stdout.includes('S3cr3t')], [0, 2, false]);
  assert.deepEqual(lines.slice(lines.indexOf('calls    0 ci  op 0') + 1), [
    'ops      0 run ci/step_1    @1 make',
    '         1 run ci/use       @1 echo "$WORD" | ./use.sh',
    '             gets secrets 0',
    '         2 condition $STAGE @1 else 4',
    '         3 run ci/both      @1 ./both.sh',
    '             gets secrets 1, 0',
    '         4 hook error       @1 ./alert.sh',
    '             gets secrets 1',
    'secrets  0 WORD from ["op","read","op://${vars.STAGE}/the word"], at most 1m',
    '         1 OTHER from ["vault","kv","get"] at $.data.value, at most 20s',
  ]);
});

test('a changed program, and a changed list, are changes of the steps and hooks that list the secret', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const text = JSON.stringify(FILE).replace('"get"', '"got"').replace('["WORD"]', '["WORD","OTHER"]');
  writeFileSync(join(cwd, 'new.json'), text);
  const args = ['diff', 'ci', '--from', '.cli/workflow.json', '--to', 'new.json'];
  const { stdout, stderr } = await inProcess(t, args, { cwd });
  const word = 'WORD from ["op","read","op://${vars.STAGE}/the word"], at most 1m';
  assert.equal(stderr, '');
  assert.equal(
    stdout,
    [
      'workflow ci',
      '  ~ use',
      `      - secrets: ${word}`,
      `      + secrets: ${word}, ${other('got')}`,
      '  ~ both',
      `      - secrets: ${other('get')}, ${word}`,
      `      + secrets: ${other('got')}, ${word}`,
      '  ~ hook error',
      `      - secrets: ${other('get')}`,
      `      + secrets: ${other('got')}`,
      '',
    ].join('\n'),
  );
});

test('no warning says that a listed variable is unset, and an argument that refers to an output has one', async (t) => {
  const give = { name: 'give', run: 'echo x', outputs: { TEXT: 'text' } };
  const use = { run: 'echo "$WORD" "$UNSET"', secrets: ['WORD'] };
  const cwd = workflowDirectory(t, {
    secrets: { WORD: { command: ['echo', '$HOME', 'a ${steps.give.TEXT}'] } },
    workflows: { ci: { steps: [give, use] } },
  });
  const { code, stdout } = await inProcess(t, ['validate'], { cwd });
  const warnings = stdout.split('\n').filter((line) => line.includes('warning:'));
  assert.deepEqual(
    [code, warnings],
    [
      0,
      [
        ".cli/workflow.json:1:47: warning: 'secrets.WORD.command[2]' contains a reference to an output, which is not expanded: the program gets it as written",
        ".cli/workflow.json:1:183: warning: workflow 'ci': step 2: $UNSET is used but never set; if it comes from outside, mention it in a description or write ${UNSET:?}",
      ],
    ],
  );
});

test('values of three and more characters are masked, inherited ones too, and GitHub is told unless --no-ci', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: {
      TWO: { command: ['echo', 'ab'] },
      THREE: { command: ['echo', 'cde'] },
      LINES_: { command: ['printf', 'one line\\nx\\n\\nother'] },
      GIVEN: { command: ['touch', 'started'] },
    },
    workflows: {
      ci: {
        steps: [...['TWO', 'THREE', 'GIVEN'].map(print), { ...print('LINES_'), run: 'echo "$LINES_" | head -n 1' }],
      },
    },
  });
  const env = { GIVEN: 'hush', GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary') };
  const all: string[] = [];
  for (const flags of [[], ['--no-ci']]) {
    const { code, stdout, stderr } = await cliWithAnnouncements(
      ['workflow', 'run', 'ci', '--report', 'r.json', ...flags],
      { cwd, env },
    );
    const outputs = JSON.parse(stdout).steps.map(({ outputs }: { outputs: object }) => outputs);
    assert.deepEqual([code, outputs], [0, ['<ab>', '***', '***', '***'].map((TEXT) => ({ TEXT }))]);
    const masks = stderr.split('\n').filter((line) => line.startsWith('::add-mask::'));
    all.push(masks.join(' '));
    const report = readFileSync(join(cwd, 'r.json'), 'utf8');
    assert.deepEqual(
      ['<ab>', 'cde', 'one line', 'hush'].map((value) => report.includes(value)),
      [true, false, false, false],
    );
  }
  const values = ['hush', 'cde', 'one line', 'other', '<cde>', '<hush>', 'one line'];
  assert.deepEqual(all, [values.map((value) => `::add-mask::${value}`).join(' '), '']);
  assert.equal(existsSync(join(cwd, 'started')), false);
});
