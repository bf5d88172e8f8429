/* Secrets in exported scripts. fixtures.test.ts compares the scripts of fixtures with secrets with their runs. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, finish } from '../support/cli.ts';
import { bash, exported } from '../support/export/exported.ts';
import { needs, program } from '../support/needs.ts';
import { PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';

/** The values of secrets in these tests begin with this text. */
const MARK = 'S3cr3t';

/** Values that a shell could change. */
const VALUES = [
  '-n',
  '--',
  '*',
  ' a  b ',
  'a\nb\n\nc',
  'a\r',
  '\ta\\n\\',
  `'"$HOME\`id\`$(id)`,
  '\u0001\u007F\u001B[0m',
  '\uFEFFž\u{1F40E}\u2028\u00A0',
  'x=y',
  '~',
  '!!',
  '%s%n',
  'é'.repeat(32_768),
];

test('the values of secrets reach the commands of a script unchanged, from programs and from the environment', async (t) => {
  const names = VALUES.map((_, index) => `S${index}`);
  const secrets = Object.fromEntries(
    VALUES.map((value, index) => [names[index], { command: ['printf', '%s', value] }]),
  );
  const print = `cat ${PROC}/self/environ | sort -z | tr "\\\\0" "\\\\n" | grep -av -e "^CLI_RUN_" -e "^_=" -e "^SHLVL=" | cksum`;
  const steps = [{ run: print, secrets: names }, print];
  const { cwd, env } = await exported(t, { secrets, workflows: { x: { steps } } });
  const inherited = Object.fromEntries(VALUES.map((value, index) => [`S${index}`, value]));
  const [runner, ...first] = COMMAND;
  const run = await finish(runner, [...first, 'run', 'x', '--quiet'], { cwd, env });
  for (const given of [env, { ...env, ...inherited }]) {
    const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env: given });
    assert.deepEqual([code, stderr.replaceAll(/^x\.sh: .*\n/gm, '')], [0, run.stderr]);
  }
  assert.match(run.stderr, /^(?!(.*)\n\1)\d+ \d{5,}\n\d+ \d+\n$/);
});

test(
  'a script gets a secret from the environment first, and refuses parameters and dotenv entries',
  needs('python3'),
  async (t) => {
    const list = 'env | grep -o "^[A-Z]*_SECRET=.*" | sort | tr "\\n" " "; echo';
    const { cwd, env } = await exported(t, {
      secrets: {
        A_SECRET: { command: bash(`${list} >&2; echo one`) },
        E_SECRET: { command: ['no-such-program'] },
        J_SECRET: { command: ['no-such-program'], value: '$.a' },
        TMOUT: { command: ['echo', '7'] },
      },
      dotenv: '.env',
      workflows: {
        x: {
          steps: [
            { run: list, secrets: ['A_SECRET', 'E_SECRET', 'J_SECRET', 'TMOUT'] },
            `echo "none: $(${list})$(env | grep TMOUT)"`,
          ],
        },
      },
    });
    writeFileSync(join(cwd, '.env'), 'A_SECRET=dotenv\nOTHER=1\n');
    const given = { ...env, A_SECRET: '', E_SECRET: 'inherited', J_SECRET: 'inherited', TMOUT: '100' };
    const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env: given });
    assert.equal(
      stderr,
      [
        "x.sh: warning: 'A_SECRET' is a secret of the file, so its entry in .env is not used",
        '',
        "x.sh: step 'step_1' of workflow 'x'",
        'A_SECRET=one E_SECRET=inherited J_SECRET=inherited ',
        "x.sh: step 'step_2' of workflow 'x'",
        'none: ',
        '',
      ].join('\n'),
    );
    assert.equal(code, 0);
    const refused = await finish('bash', ['x.sh', `A_SECRET:${MARK}`, '--dry-run'], { cwd, env: given });
    const message = "x.sh: 'A_SECRET' is a secret of the file; set it in the environment, not on the command line\n";
    assert.deepEqual([refused.code, refused.stdout, refused.stderr], [2, '', message]);
  },
);

test('a script whose secrets are in JSON looks for a reader before any program starts', async (t) => {
  const secret = { command: bash('touch started; echo "{}"'), value: '$.a' };
  const { cwd, env } = await exported(t, {
    secrets: { KEY: secret },
    workflows: { x: { steps: [{ run: 'touch ran', secrets: ['KEY'] }] } },
  });
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const name of ['bash', 'env']) {
    const { stdout } = await finish('bash', ['-c', `ln -s "$(type -P ${name})" bin`], { cwd });
    assert.equal(stdout, '');
  }
  const { code, stderr } = await finish(join(bin, 'bash'), ['x.sh'], { cwd, env: { ...env, PATH: bin } });
  const message = "x.sh: neither python3 nor jq 1.7 was found in PATH; the secret 'KEY' needs one\n";
  assert.deepEqual([code, stderr, existsSync(join(cwd, 'started'))], [2, message, false]);
});

test('jq finds the values of secrets, too', needs('jq'), async (t) => {
  const { stdout: version } = await finish(program('jq'), ['--version'], { cwd: '/' });
  if (!/^jq-(?:1\.[7-9]|1\.\d\d|[2-9])/.test(version)) return t.diagnostic(`not tested with ${version.trim()}`);
  const command = ['echo', '{"a": [1, {"b": "c\\nd"}], "n": 12, "no": false, "e": "", "z": null, "0": "\\u0000"}'];
  const paths = { S: '$.a[-1].b', N: '$.n', B: '$.no', E: '$.e', Z: '$.z', A: '$.a', M: '$.m', H: '$["0"]' };
  const secrets = Object.fromEntries(Object.entries(paths).map(([name, value]) => [name, { command, value }]));
  const early = { run: 'echo "$S $N $B"', secrets: ['S', 'N', 'B'] };
  const late = { if: 'test 1', run: 'true', secrets: ['S', 'E', 'Z', 'A', 'M', 'H'] };
  const { cwd, env } = await exported(t, { secrets, workflows: { x: { steps: [early, late] } } });
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const name of ['bash', 'env', 'jq', 'mktemp', 'mkfifo', 'rm', 'sleep', 'echo']) {
    await finish('bash', ['-c', `ln -s "$(type -P ${name})" bin`], { cwd });
  }
  const { code, stderr } = await finish(join(bin, 'bash'), ['x.sh'], { cwd, env: { ...env, PATH: bin } });
  const problems = ['E gave nothing', ...['Z', 'A', 'M', 'H'].map((name) => `${name} gave no value at its path`)];
  const reasons = problems.map((problem) => `secret ${problem.replace(/^./, "'$&': 'echo'")}`).join('; ');
  assert.deepEqual(stderr.split('\n'), [
    "x.sh: step 'step_1' of workflow 'x'",
    'c',
    'd 12 false',
    "x.sh: the condition of step 2 of workflow 'x'",
    `x.sh: step 'step_2' of workflow 'x' could not be started: ${reasons}`,
    '',
  ]);
  assert.equal(code, 1);
});

test(
  'the values of secrets are in no file, no argument and no trace of a script',
  needs('strace', 'python3'),
  async (t) => {
    const long = `${MARK}-${'ž'.repeat(3000)}`;
    const members = [{ if: 'test 1', run: 'test ${#LONG} -gt 3000', secrets: ['LONG', 'TEXT'] }];
    const { cwd, env, temporary } = await exported(t, {
      secrets: {
        TEXT: { command: ['cat', 'text'] },
        JSON: { command: ['cat', 'json'], value: '$.a' },
        LONG: { command: ['cat', 'long'] },
        GIVEN: { command: ['false'] },
      },
      error: { run: 'test -n "$GIVEN"', secrets: ['GIVEN'] },
      workflows: {
        x: {
          steps: [
            'sleep 0.01 | cat',
            { run: 'env | grep -c "S3c[r]3t-"', secrets: ['TEXT', 'JSON', 'GIVEN'] },
            { parallel: members },
            'env | grep -c "S3c[r]3t-"',
          ],
        },
      },
    });
    for (const [name, content] of Object.entries({ text: `${MARK}-1`, json: `{"a": "${MARK}-2"}`, long })) {
      writeFileSync(join(cwd, name), content);
    }
    const trace = ['-f', '-y', '-v', '-e', 'trace=execve,write', '-s', '99999', '-o', 'trace'];
    const given = { ...env, GIVEN: `${MARK}-3` };
    const { code, stderr } = await finish(program('strace'), [...trace, 'bash', '-x', 'x.sh'], { cwd, env: given });
    assert.equal(code, 1, stderr);
    assert.deepEqual(stderr.match(/^\d+$/gm), ['3', '0']);
    assert.equal(stderr.includes(`${MARK}-`), false);
    const calls = readFileSync(join(cwd, 'trace'), 'utf8').split('\n');
    const hits = calls.filter((line) => line.includes(`${MARK}-`));
    assert.ok(hits.length > 6);
    // The first start of the script has the inherited secret, and so do the commands that list one. The other hits are pipes.
    const isAllowed = (line: string): boolean => {
      if (/ write\(\d+<(?:pipe:|\S+\/secret\.)/.test(line)) return true;
      const [, args = '', rest = ''] = /^\d+ +execve\("[^"]*", \[(.*?)\], (\[.*)$/.exec(line) ?? [];
      return !args.includes(`${MARK}-`) && (args.startsWith('"bash", "-x"') || rest.includes(`${MARK}-`));
    };
    assert.deepEqual(
      hits.filter((line) => !isAllowed(line)),
      [],
    );
    const receivers = hits.flatMap((line) => /execve\("[^"]*\/([^"/]+)", \[(.*?)\]/.exec(line)?.[2] ?? []);
    assert.deepEqual(
      receivers.filter(
        (args) =>
          !/^"(?:bash", "-x"|\S*env", "(?:UID=|EUID=|wf_)|\/\S*bash", (?:"-p"|"--norc")|env"\]?$|grep", )/.test(args),
      ),
      [],
    );
    assert.deepEqual(readdirSync(temporary), []);
  },
);

test(
  'outputs that contain secrets are kept in memory until a script ends',
  { ...LINUX, ...needs('python3') },
  async (t) => {
    const give = { run: 'printf "$KEY"', secrets: ['KEY'], outputs: { COPY: 'text' } };
    const search = 'grep -rls "S3c[r]3t-" "$TMPDIR" >>disk; grep -rls "S3c[r]3t-of-$NAME" /dev/shm >>memory; true';
    const { cwd, env, temporary } = await exported(t, {
      secrets: { KEY: { command: ['printf', `${MARK}-of-${process.pid}`] } },
      env: { NAME: String(process.pid) },
      workflows: {
        x: {
          steps: [
            { name: 'one', ...give },
            { parallel: [{ name: 'two', ...give }] },
            { run: `test "\${steps.one.COPY}" = "\${steps.two.COPY}"; ${search}` },
          ],
        },
      },
    });
    const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
    assert.equal(code, 0, stderr);
    assert.equal(readFileSync(join(cwd, 'disk'), 'utf8'), '');
    const kept = readFileSync(join(cwd, 'memory'), 'utf8').split('\n').slice(0, -1);
    assert.ok(kept.length > 0);
    assert.deepEqual([...kept.filter((path) => existsSync(path)), ...readdirSync(temporary)], []);
  },
);
