import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { inProcess, toolInProcess } from '../support/in_process.ts';

/** A line of a step, whose unknown field is an error on the line. */
const step = (fields: string): string => `{ "workflows": { "ci": { "steps": [\n{ ${fields}, "no": 1 }\n] } } }`;
const command = (text: string): string => step(`"run": ${JSON.stringify(text)}`);
const file = (line: string): string => `{ "workflows": {},\n${line}\n}`;

/** Files with an error on their second line, which holds no secret. */
const SHOWN: Readonly<Record<string, string>> = {
  'a reference': command('npm publish --token $NPM_TOKEN'),
  'a quoted reference': command('NPM_TOKEN="$NPM_TOKEN" npm publish'),
  'a reference in a header': command('curl -H "Authorization: Bearer $NPM_TOKEN" https://example.org'),
  'a reference with a fallback': command('echo "${NPM_TOKEN:-none} ${API_TOKEN:?is not set}"'),
  'a comparison': command('[ "$PASSWORD" = "$OLD_PASSWORD" ] && [[ $PASSWORD != x ]]'),
  'a command substitution': command('TOKEN=$(cat token.txt) PASSWORD=`pass show x` ./deploy.sh --token "$TOKEN"'),
  'a flag that takes no value': command('docker login --password-stdin -u "$USER" --password <file'),
  'a condition on a secret': step('"run": "./deploy.sh", "if": "NPM_TOKEN"'),
  'a reference as the value': step('"run": "a", "with": { "NPM_TOKEN": "${steps.login.TOKEN}" }'),
  'an empty value': step('"run": "a", "with": { "NPM_TOKEN": "" }'),
  'the path of a secret output': step('"run": "a", "name": "login", "outputs": { "TOKEN": "$.token" }'),
  'another variable': step('"run": "a", "with": { "STAGE": "production" }'),
  'a value below a secret': `{ "workflows": {}, "env": { "TOKEN": "hidden",\n"STAGE": 1 } }`,
  'a workflow with a secret name': `{ "workflows": { "rotate-token":\n{ "no": "", "steps": [] } } }`,
  'a secret input without a default': `{ "workflows": { "ci": { "steps": [], "inputs": {\n"TOKEN": { "no": 1 } } } } }`,
  'the description of a secret input': `{ "workflows": { "ci": { "steps": [], "inputs": { "PIN": { "secret": true,
"description": 1,
"default": "hidden" } } } } }`,
};

/** Files with an error on their second line, which holds a secret or lies inside of one. */
const HIDDEN: Readonly<Record<string, string>> = {
  'a value': step('"run": "a", "with": { "NPM_TOKEN": "abc" }'),
  'a value with a reference in it': step('"run": "a", "with": { "NPM_TOKEN": "abc-${vars.STAGE}" }'),
  'a reference with a literal text': step('"run": "a", "with": { "NPM_TOKEN": "${steps.login.TOKEN:-abc}" }'),
  'a reference with a dot in its literal text': step('"run": "a", "with": { "TOKEN": "${steps.login.TOKEN:-a.b}" }'),
  'a variable with a literal text': step('"run": "a", "with": { "NPM_TOKEN": "${vars.TOKEN:-abc}" }'),
  'a broken reference': step('"run": "a", "with": { "NPM_TOKEN": "${vars.abc!}" }'),
  'a name of the shell as the value': step('"run": "a", "with": { "NPM_TOKEN": "$abc" }'),
  'a number': step('"run": "a", "with": { "PASSWORD": 123 }'),
  'a key with an escape': step('"run": "a", "with": { "TO\\u004bEN": "abc" }'),
  'values of a matrix': step('"run": "a", "matrix": { "TOKEN": ["abc"] }'),
  'a field': file('"password": "abc"'),
  'the inside of a value': `{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "TOKEN": [
5,
"abc"] } }] } } }`,
  'an assignment': command('NPM_TOKEN=abc npm publish'),
  'a quoted assignment': command('export NPM_TOKEN="abc"; npm publish'),
  'an assignment on a later line': command('set -x\nPASS=abc ./deploy.sh'),
  'a header': command('curl -H "Authorization: Bearer abc" https://example.org'),
  'a flag': command('./deploy.sh --password abc'),
  'a comment': `{ "workflows": {}, // TOKEN=abc\n"no": 1 /* TOKEN: abc */ }`,
  'the default of a secret input': `{ "workflows": { "ci": { "steps": [], "inputs": { "PIN": { "secret": true,
"default": "abc", "no": 1 } } } } }`,
  'the options of an input with a secret name': `{ "workflows": { "ci": { "steps": [], "inputs": { "TOKEN": {
"options": ["abc"], "no": 1 } } } } }`,
  'a variable with the name of a secret input': `{ "workflows": { "ci": { "steps": [], "inputs": { "PIN": { "secret": true } },
"env": { "PIN": "abc" }, "no": 1 } } }`,
};

for (const [title, files, isShown] of [
  ['a message shows a line with', SHOWN, true],
  ['a message does not show a line with', HIDDEN, false],
] as const) {
  describe(title, () => {
    for (const [what, input] of Object.entries(files)) {
      test(what, async (t) => {
        const { stderr } = await toolInProcess(t)(['workflow', 'validate', '--file', '-'], { input });
        assert.match(stderr, /^<stdin>:2:\d+: error: /m);
        const frames = stderr.split('\n').filter((line) => /^ +2 \| /.test(line));
        const line = input.split('\n')[1] ?? '';
        assert.deepEqual(new Set(frames), new Set(isShown ? [`    2 | ${line.slice(0, 100)}`] : []));
      });
    }
  });
}

test('in a file that does not parse, a line is not shown below a secret name, for five lines', async (t) => {
  const tool = toolInProcess(t);
  const frames = async (lines: number): Promise<readonly string[]> => {
    const input = `{ "env": { "TOKEN": "abc",${'\n'.repeat(lines)} oops`;
    return (await tool(['workflow', 'validate', '--file', '-'], { input })).stderr.split('\n').slice(1, -1);
  };
  assert.deepEqual(await frames(5), []);
  assert.deepEqual(await frames(6), ['    7 |  oops', '      |  ^^^^']);
});

test('no line of a file outside of the project is shown, whatever names it', async (t) => {
  const outside = temporaryDirectory(t, { shadow: 'root:x:19000\n', 'workflow.json': { workflows: {}, no: 'abc' } });
  const shadow = `${join(outside, 'shadow')}:1:1: error: `;
  const project = temporaryDirectory(t, {
    '.cli/workflow.json': {
      include: { a: `${outside}/shadow`, b: '../b.json', c: '../c/workflow.json' },
      workflows: {},
    },
    'b.json': '{ "workflows": {}, "no": 1 }',
  });
  symlinkSync(outside, join(project, 'c'));
  const { stderr } = await inProcess(t, ['workflow', 'validate'], { cwd: project });
  assert.deepEqual(
    stderr.split('\n').map((line) => line.replace(/(?<=: error: ).*/, '')),
    [
      shadow,
      'b.json:1:20: error: ',
      '    1 | { "workflows": {}, "no": 1 }',
      '      |                    ^^^^',
      'c/workflow.json:1:17: error: ',
      '',
    ],
  );

  const linked = temporaryDirectory(t, { '.cli/keep': '' });
  symlinkSync(join(outside, 'shadow'), join(linked, '.cli/workflow.json'));
  const { stderr: found } = await inProcess(t, ['workflow', 'validate'], { cwd: linked });
  assert.deepEqual(found.replace(/(?<=: error: ).*/, ''), '.cli/workflow.json:1:1: error: \n');
});

test('a repository is one project: a file above the directory of the workflow file is shown', async (t) => {
  const cwd = temporaryDirectory(t, {
    '.git/HEAD': '',
    'apps/ios/workflow.json': { include: { all: '../all.json' }, workflows: {} },
    'apps/all.json': '{ "workflows": {}, "no": 1 }',
  });
  const { stderr } = await inProcess(t, ['workflow', 'validate', '--file', 'apps/ios/workflow.json'], { cwd });
  assert.match(stderr, /^apps\/all\.json:1:20: .*\n {4}1 \| \{ "workflows": \{\}, "no": 1 \}\n/);
});

test('a message about a variable or a reference in a command marks it, not the whole command', async (t) => {
  const tool = toolInProcess(t);
  const marked = async (steps: string): Promise<readonly (readonly [number, string])[]> => {
    const input = `{ "workflows": { "ci": { "steps": [\n${steps}\n] } } }`;
    const { stderr } = await tool(['workflow', 'validate', '--file', '-'], { input });
    const frames = stderr.matchAll(/^<stdin>:\d+:(\d+): .*\n +\d+ \| (.*)\n +\| ( *)(\^+)$/gm);
    return [...frames].map(([, column = '', line = '', before = '', mark = '']) => {
      assert.equal(Number(column), before.length + 1);
      return [Number(column), line.slice(before.length, before.length + mark.length)];
    });
  };
  assert.deepEqual(
    await marked(`{ "run": "echo '\\\\$VERSOIN' $VERSOINS \\"$VERSOIN\\"" },
{ "run": ["make", "echo \${VERSOIN} $TAG"] }`),
    [
      [29, '$VERSOINS'],
      [41, '$VERSOIN'],
      [36, '$TAG'],
    ],
  );
  const reference = '${steps.build.IMAGE:-\\"none\\"}';
  assert.deepEqual(await marked(`"echo ${reference}"`), [[7, reference]]);
});
