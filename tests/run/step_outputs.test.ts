import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { finish, temporaryDirectory } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { ci, entry, result, runCi } from '../support/workflow.ts';

const SECRET = 's3cr3t-of-the-test';

/** The standard output of a step, its `outputs`, and the values or problems. */
const PRINTED: readonly (readonly [run: string, outputs: object, outcome: object | string])[] = [
  [`echo '{"a": {"b": [1.50, "x"]}}'`, { N: '$.a.b[0]', X: '$.a.b[-1]' }, { N: '1.50', X: 'x' }],
  [`echo '{"a": {"b": [ 1, {} ]}}'`, { A: '$.a', ALL: '$' }, { A: '{"b":[1,{}]}', ALL: '{"a":{"b":[1,{}]}}' }],
  [`echo '"line\\nline"'`, { constructor: '$' }, { constructor: 'line\nline' }],
  ["printf ' one\\n\\ntwo \\r\\n\\n'", { ALL: 'text' }, { ALL: ' one\n\ntwo ' }],
  ['true', { EMPTY: 'text' }, { EMPTY: '' }],
  [`printf '[1]\\n'`, { ALL: 'text', FIRST: '$[0]' }, { ALL: '[1]', FIRST: '1' }],
  ["printf 'a\\0b\\n'", { A: 'text' }, "output 'A': standard output holds a NUL character, which no variable can hold"],
  ["printf '\\377\\n'", { A: 'text' }, "output 'A': standard output is not UTF-8"],
  ['true', { A: '$', B: '$.b' }, "outputs 'A', 'B': standard output is not one JSON text: it is empty"],
  ['echo Done.', { A: '$.a' }, "output 'A': standard output is not one JSON text: line 1, column 1: expected a value"],
  [
    'echo 1; echo 2',
    { A: '$' },
    "output 'A': standard output is not one JSON text: line 2, column 1: text after its end",
  ],
  [`echo '{"a": null}'`, { A: '$.a' }, "output 'A': $.a is null"],
  [
    `echo '{"a": [1]}'`,
    { A: '$.a', B: '$.b', C: '$.a[1]', D: '$.a.b' },
    "output 'B': $.b is missing: $ has no such field; output 'C': $.a[1] is missing: $.a has 1 element; output 'D': $.a.b is missing: $.a is an array, not an object",
  ],
];

describe('outputs', { concurrency: 5 }, () => {
  for (const [run, outputs, outcome] of PRINTED) {
    const isProblem = typeof outcome === 'string';
    test(`the outputs ${JSON.stringify(outputs)} of \`${run}\` are: ${isProblem ? outcome : JSON.stringify(outcome)}`, async (t) => {
      const { code, document, stderr } = await runCi(t, ci([{ name: 'a', run, outputs }]));
      const more = isProblem ? { error: outcome } : { outputs: outcome };
      assert.deepEqual(document, result(!isProblem, [{ ...entry('a', run), ...more }]));
      assert.equal(code, isProblem ? 1 : 0);
      const message = isProblem ? `cli: step 'a' of workflow 'ci' failed after exit code 0: ${outcome}\n` : '';
      assert.ok(stderr.endsWith(message), stderr);
    });
  }

  test('an output is masked in the result if a variable with a secret name refers to it', async (t) => {
    const run = `echo '["correct horse"]'`;
    const steps = [
      { name: 'a', run, outputs: { WORD: '$[0]' } },
      { run: ':', with: { API_KEY: 'x${steps.a.WORD}' } },
    ];
    const { document } = await runCi(t, ci(steps));
    const masked = { ...entry('a', run), outputs: { WORD: '***' } };
    assert.deepEqual(document, result(true, [masked, entry('step_2', ':')]));
  });

  test('the outputs of a failed step are not read, and its exit code counts', async (t) => {
    const run = `echo '{"a": 1}'; exit 5`;
    const steps = [{ name: 'a', run, outputs: { A: '$.a' }, allow_failure: true }, 'echo "[${steps.a.A:-}]" >a'];
    const { document } = await runCi(t, ci(steps));
    const failed = { ...entry('a', run, 5), allowed_failure: true };
    assert.deepEqual(document, result(true, [failed, entry('step_2', 'echo "[${steps.a.A:-}]" >a')]));
  });

  test('an output is one word in commands, conditions, with, finally and called workflows, and is never executed', async (t) => {
    const value = `'"; touch oops; $(touch oops) \`touch oops\` \\ \n*`;
    const use = 'printf "%s|" ${steps.a.V} "<${steps.a.V}>" \'<${steps.a.V}>\' "$W"';
    const file = {
      finally: `${use} >>got`,
      workflows: {
        ci: {
          steps: [
            { name: 'a', run: 'cat value.json', outputs: { V: '$' } },
            { workflow: 'inner', with: { W: '=${steps.a.V}=' }, if: 'test ${steps.a.V}' },
          ],
        },
        inner: { private: true, steps: [`${use} >got`] },
      },
    };
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': file, 'value.json': JSON.stringify(value) });
    const { code } = await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd, env: { W: 'outer' } });
    assert.equal(code, 0);
    const words = [value, `<${value}>`, `<${value}>`];
    const got = [...words, `=${value}=`, ...words, 'outer', ''].join('|');
    assert.equal(readFileSync(join(cwd, 'got'), 'utf8'), got);
    assert.throws(() => readFileSync(join(cwd, 'oops')), /ENOENT/);
  });

  test('outputs with secret names are masked in the result, and in everything else that cli prints', async (t) => {
    const steps = [
      { name: 'login', run: 'cat secret.json', outputs: { TOKEN: '$.t', REGION: '$.r' } },
      {
        run: 'test -n "${steps.login.TOKEN}"',
        with: { HEADER: 'Bearer ${steps.login.TOKEN}' },
        retry: { max_attempts: 2, delay: '1ms' },
      },
      { run: 'test -z "${steps.login.TOKEN}"' },
    ];
    const file = ci(steps, { finally: 'test -n "${steps.login.TOKEN}"' });
    for (const report of ['json', 'xml', 'html']) {
      const cwd = temporaryDirectory(t, { '.cli/workflow.json': file, 'secret.json': { t: SECRET, r: 'north' } });
      const args = ['workflow', 'run', 'ci', '--debug', '--report', `r.${report}`];
      const { stdout, stderr } = await cliWithAnnouncements(args, { cwd });
      assert.deepEqual(JSON.parse(stdout).steps[0].outputs, { TOKEN: '***', REGION: 'north' });
      const printed = `{"t":"${SECRET}","r":"north"}`;
      assert.ok(stderr.includes(printed));
      // The report contains the printed line, with the secret masked.
      const output = stderr.replace(printed, '') + stdout + readFileSync(join(cwd, `r.${report}`), 'utf8');
      assert.ok(!output.includes(SECRET));
    }
  });

  test('messages about invalid outputs contain no part of the printed text', async (t) => {
    const printed = `{"${SECRET}": ["${SECRET}"], ${SECRET}}`;
    const file = ci([{ name: 'a', run: 'cat secret', outputs: { A: '$.a' } }]);
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': file, secret: printed });
    const { stdout, stderr } = await cliWithAnnouncements(['workflow', 'run', 'ci'], { cwd });
    const output = `${stdout}${stderr.replace(printed, '')}`;
    assert.ok(stderr.includes(printed) && !output.includes(SECRET), output);
  });

  /** Each way in which a step can end, and its exit code for later steps. */
  const ENDS: Readonly<Record<string, object>> = {
    '0': { run: 'true' },
    '7': { run: 'exit 7' },
    '124': { run: 'sleep 60', timeout: '10ms' },
    '143': { run: 'kill $$' },
    'unreadable 0': { run: 'true', outputs: { A: '$' } },
    '126': { run: ': ${steps.skipped.exit_code}' },
    none: { run: 'true', if: 'false' },
  };

  test('the exit code of a step that may fail is a reference in commands, conditions and with, and in hooks that of any step', async (t) => {
    const names = Object.keys(ENDS);
    const ends = Object.entries(ENDS).map(([name, step]) => Object.assign({ name, allow_failure: true }, step));
    const skipped = { name: 'skipped', run: 'true', if: 'false', allow_failure: true };
    const all = names.map((name) => `\${steps.${name}.exit_code:-none}`).join(' ');
    const steps = [
      skipped,
      ...ends,
      { run: `echo ${all} >>../got` },
      { if: '[ ${steps.7.exit_code} -eq 7 ]', workflow: 'show', with: { CODE: '=${steps.124.exit_code}' } },
      { if: '[ ${steps.7.exit_code} -eq 0 ]', run: 'echo no >>../got' },
      { name: 'last', run: 'exit 9' },
    ];
    const show = { private: true, steps: ['echo "$CODE" >>../got'] };
    const file = { finally: 'echo ${steps.last.exit_code} >>got', workflows: { ci: { dir: 'd', steps }, show } };
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': file, 'd/x': '' });
    const { code, stderr } = await cliWithAnnouncements(['run', 'ci'], { cwd });
    assert.equal(code, 1, stderr);
    assert.equal(readFileSync(join(cwd, 'got'), 'utf8'), '0 7 124 126 143 0 none\n=124\n9\n');
    const exported = await cliWithAnnouncements(['export', 'ci'], { cwd });
    writeFileSync(join(cwd, 'script.sh'), exported.stdout);
    rmSync(join(cwd, 'got'));
    assert.equal((await finish('bash', ['script.sh'], { cwd })).code, 1);
    assert.equal(readFileSync(join(cwd, 'got'), 'utf8'), '0 7 124 126 143 0 none\n=124\n9\n');
  });

  test('a condition by variable refuses an exit code of 0, and names the condition to write', async (t) => {
    const steps = [
      { name: 'lint', run: 'true', allow_failure: true },
      { if: 'CODE', with: { CODE: '${steps.lint.exit_code}' }, run: 'true' },
    ];
    const { code, stderr } = await runCi(t, ci(steps));
    assert.equal(code, 1);
    assert.match(
      stderr,
      /tests CODE, whose value '0' \(.*\) .*; write "if": "\[ \$\{steps\.lint\.exit_code\} -ne 0 \]"$/m,
    );
  });

  test('without allow_failure, a reference to an exit code is an error with the reason, except in hooks', async (t) => {
    const steps = [
      { name: 'lint', run: 'true' },
      { name: 'own', run: 'echo x', outputs: { exit_code: 'text' } },
      'echo ${steps.own.exit_code}',
      'echo ${steps.lint.exit_code}',
      { if: '${steps.lint.exit_code}', run: 'true' },
    ];
    const { code, stderr } = await runCi(t, ci(steps, { finally: 'echo ${steps.lint.exit_code}' }));
    assert.equal(code, 2);
    assert.match(
      stderr,
      /would be run as a command: to test that it is not 0, write \[ \$\{steps\.lint\.exit_code\} -ne 0 \]$/m,
    );
    const fixed = await runCi(t, ci(steps.slice(0, 4), { finally: 'echo ${steps.lint.exit_code}' }));
    assert.match(
      fixed.stderr,
      /: step 4: 'run': \$\{steps\.lint\.exit_code\}: in a run of 'ci', it could only be 0: a failure of step 'lint' ends the run; add "allow_failure": true to the step, or use the reference in a hook$/m,
    );
  });
});
