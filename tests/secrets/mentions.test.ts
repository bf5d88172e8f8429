import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseWorkflowFile } from '../../src/frontend/parse.ts';
import { commandsOf } from '../../src/frontend/lint/scopes.ts';
import { cli, ROOT, workflowDirectory } from '../support/cli.ts';
import { FIXTURES } from '../support/goldens/goldens.ts';
import { CHECKER_PARTS } from '../support/plans.ts';

/** Commands that expand the variable KEY. */
const MENTIONS = [
  'echo $KEY',
  'echo "${KEY}"',
  'echo ${KEY:-none} x',
  'echo "a${KEY%%.*}b"',
  'echo ${#KEY}',
  'echo "$(printf %s "$KEY")"',
  'echo `printf %s $KEY`',
  "echo 'a'$KEY'b'",
  'OTHER=$KEY env',
  'test "$KEYS" = "$KEY"',
];

/** Commands that do not, or expand a variable that they have set themselves. */
const OTHERS = [
  "echo '$KEY'",
  'echo \\$KEY "\\${KEY}"',
  'echo KEY',
  'echo $KEYS ${KEY_ID} $_KEY',
  'KEY=own; echo $KEY',
  'read -r KEY; echo "$KEY"',
  'for KEY in a b; do echo $KEY; done',
  'export KEY=own; echo ${KEY}',
  'echo $$KEY',
  'true # $KEY',
];

/** Places of a command in a script. */
const PLACES: readonly ((command: string) => string)[] = [
  (command) => command,
  (command) => `true && ${command}\n`,
  (command) => `if ${command}\nthen :\nfi`,
  (command) => `(\n${command}\n)`,
  (command) => `{ ${command}\n}`,
  (command) => `true | ${command}`,
  (command) => `while\n${command}\ndo break; done`,
  (command) => `f() {\n${command}\n}\nf`,
  (command) => `case x in x)\n${command}\n;; esac`,
  (command) => `echo "it's" 'a "b' > out\n${command}`,
];

const commands = PLACES.flatMap((place) =>
  [...MENTIONS, ...OTHERS].map((command) => [command, place(command)] as const),
);
const FILE = { secrets: { KEY: { command: ['echo'] } }, workflows: { ci: { steps: commands.map(([, run]) => run) } } };

test('exactly the commands that expand a secret must list it: 200 of them', () => {
  assert.equal(commands.length, 200);
  const { errors } = parseWorkflowFile(Buffer.from(JSON.stringify(FILE)), CHECKER_PARTS);
  const reported = errors.items.map(({ code, owner }) => `${code} ${owner.step}`);
  const expected = commands.flatMap(([command], index) =>
    MENTIONS.includes(command) ? `unlisted secret ${index + 1}` : [],
  );
  assert.deepEqual(reported, expected);
});

test('the executable finds the same of them', async (t) => {
  const { code, stdout } = await cli(['validate'], { cwd: workflowDirectory(t, FILE) });
  const found = Array.from(stdout.matchAll(/: step (\d+): the command uses the secret \$KEY /g), ([, step]) => step);
  const expected = commands.flatMap(([command], index) => (MENTIONS.includes(command) ? String(index + 1) : []));
  assert.deepEqual([code, found], [1, expected]);
});

test('no command of an example or a fixture mentions a secret that it does not expand', () => {
  let count = 0;
  const groups = ['imports', 'pipelines', 'realistic', 'plans', 'runs', 'views'].map((name) => join(FIXTURES, name));
  const files = [...groups, join(ROOT, 'examples')].flatMap((group) => {
    const paths = readdirSync(group, { recursive: true, encoding: 'utf8' });
    return paths.flatMap((path) => (/workflow\.json$|^[^/]*\.json$/.test(path) ? join(group, path) : []));
  });
  for (const name of files) {
    const text = readFileSync(name, 'utf8');
    const before = parseWorkflowFile(Buffer.from(text), CHECKER_PARTS);
    if (before.kind !== 'valid' || before.file.secrets.size > 0) continue;
    count += 1;
    const words = new Set(
      [...commandsOf(before.file)].flatMap(([command]) => command.text.match(/\b[A-Za-z_]\w*/g) ?? []),
    );
    const expanded = new Set(
      [...commandsOf(before.file)].flatMap(([command]) => command.text.match(/(?<=\$\{?[#!]?)[A-Za-z_]\w*/g) ?? []),
    );
    // Each word that nothing expands is declared.
    const names = [...words].filter((word) => !expanded.has(word) && /^[A-Z]/.test(word)).concat('NEVER_USED');
    const secrets = `"secrets": ${JSON.stringify(Object.fromEntries(names.map((word) => [word, { command: ['echo'] }])))},`;
    const { errors } = parseWorkflowFile(Buffer.from(text.replace('{', `{${secrets}`)), CHECKER_PARTS);
    assert.deepEqual(
      errors.items.filter(({ code }) => code === 'unlisted secret'),
      [],
      name,
    );
  }
  assert.ok(count >= 150, String(count));
});
