import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../../src/cli/command_line/command_table.ts';
import { shortWords } from '../../../src/cli/command_line/find_command.ts';
import { FLAG_NAMES } from '../../../src/cli/command_line/flags.ts';
import { EXIT_CODES } from '../../../src/cli/command_line/help/help_layout.ts';
import { TOPICS } from '../../../src/cli/command_line/help/topic_names.ts';
import * as docs from '../../../src/frontend/schema/field_docs.ts';
import * as objects from '../../../src/frontend/schema/object_docs.ts';
import { temporaryDirectory, workflowDirectory } from '../../support/cli.ts';
import { quickCli as cli } from '../../support/in_process.ts';

const NAMES = Object.keys(TOPICS);
const DOCS = [
  docs.FILE_DOCS,
  objects.INCLUDE_DOCS,
  objects.SECRET_DOCS,
  objects.HOOK_DOCS,
  docs.WORKFLOW_DOCS,
  objects.INPUT_DOCS,
  docs.STEP_DOCS,
  objects.RETRY_DOCS,
  objects.READY_DOCS,
];

function tooWide(text: string): string[] {
  return text.split('\n').filter((line) => line.length > 80);
}

/** Help needs no network, no workflow file and no variable. */
async function help(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(words, { cwd: '/', env: { HOME: '/', PATH: process.env['PATH'] } });
  assert.deepEqual([code, stderr, tooWide(stdout)], [0, '', []]);
  return stdout;
}

describe('help', () => {
  test('`cli --help` fits on a screen of 80 columns and 24 lines, with a prompt', async () => {
    const text = await help('--help');
    assert.ok(text.split('\n').length - 1 <= 23, text);
    assert.doesNotMatch(text, /\[(?:boolean|string)\]/);
    for (const name of ['run', 'list', 'validate', 'resume', 'init']) {
      const command = COMMANDS.find((each) => shortWords(each) === name);
      assert.match(text, new RegExp(`^ {2}${name}(?: <\\S+)? +${command?.describe}$`, 'm'));
    }
    for (const group of ['look', 'runs', 'plans', 'machines', 'set up']) {
      assert.equal(text.match(new RegExp(`^ {2}${group}  `, 'gm'))?.length, 1);
    }
    assert.equal(text.match(/^Topics: /gm)?.length, 1);
    assert.equal(text.match(/^Exit codes: /gm)?.length, 1);
  });

  test('`cli help` is the same with the list of topics', async () => {
    const [short, full] = [await help('--help'), await help('help')];
    assert.ok(full.startsWith(short));
    const rows = [...full.slice(short.length).matchAll(/^ {2}help (\S+) +\S/gm)].map(([, name]) => name);
    assert.deepEqual(rows, ['commands', ...NAMES]);
  });

  test('`cli help commands` describes every command, and the first help names it', async () => {
    const [all, short] = [await help('help', 'commands'), await help('--help')];
    for (const command of COMMANDS) {
      const words = shortWords(command);
      assert.ok(all.replaceAll(/\s+/g, ' ').includes(command.describe), words);
      assert.match(all, new RegExp(`^ {2}${words}\\b`, 'm'));
      for (const word of words.split(' ')) assert.match(short, new RegExp(`\\b${word}\\b`));
    }
  });

  test('`cli help` with a group of commands describes these', async () => {
    const text = await help('help', 'runs');
    assert.deepEqual(
      [...text.matchAll(/^ {2}runs (\w+)/gm)].map(([, name]) => name),
      ['list', 'show', 'logs', 'wait', 'cancel', 'resume', 'prune'],
    );
  });

  test('the flags of `run` stand in groups, each once', async () => {
    const text = await help('run', '--help');
    assert.deepEqual(
      [...text.matchAll(/^(\w.*):$/gm)].map(([, title]) => title),
      ['Common flags', 'Part of a workflow', 'Output and reports', 'Other machines', 'Example'],
    );
    const flags = COMMANDS.find(({ words }) => words === 'workflow run')?.flags ?? [];
    const listed = [...text.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name);
    assert.deepEqual([listed.length, new Set(listed)], [flags.length + 2, new Set([...flags, 'debug', 'help'])]);
  });
});

describe('topics', () => {
  test('`cli help file` has every field of the file format with an example, in at most 150 lines', async () => {
    const text = await help('help', 'file');
    assert.ok(text.split('\n').length - 1 <= 150);
    for (const [name, { examples }] of DOCS.flatMap((fields) => Object.entries(fields))) {
      const line = `"${name}": ${JSON.stringify(examples[0])}`;
      assert.ok(text.replaceAll(/\s/g, '').includes(line.replaceAll(/\s/g, '')), line);
    }
  });

  test('each field, flag and exit code stands in a topic', async () => {
    const texts = await Promise.all(NAMES.map((name) => help('help', name)));
    const all = texts.join('\n');
    const lost = [
      ...DOCS.flatMap((fields) => Object.keys(fields)).filter((name) => !all.includes(`"${name}": `)),
      ...FLAG_NAMES.filter((flag) => !new RegExp(`^ {2}(?:-\\w, )?--${flag}\\b`, 'm').test(all)),
      ...[...EXIT_CODES.matchAll(/^ {2}\d+/gm)].filter(([code]) => !all.includes(`${code} `)),
    ];
    assert.deepEqual(lost, []);
    for (const [index, text] of texts.entries()) assert.ok(text.split('\n').length - 1 <= 150, NAMES[index]);
  });

  test('a topic shows the whole description of its fields, as the schema has it', async () => {
    const text = (await help('help', 'parallel')).replaceAll(/\s+/g, ' ');
    const { matrix, parallel } = docs.STEP_DOCS;
    for (const { description } of [matrix, parallel]) assert.ok(text.includes(description.replaceAll('`', '')));
  });
});

test('`cli help` with a field shows its shape, default and an example in each object that has it', async () => {
  assert.equal(
    await help('help', 'on_crash'),
    `'on_crash' is a field of a step:
  How cli resume treats this step if it was running when the run was killed. ask
  asks, rerun runs it again, fail counts it as failed.
  shape    "ask", "rerun" or "fail"
  default  "ask"
  example  "on_crash": "rerun"

All fields: cli help file
`,
  );
  for (const name of new Set(DOCS.flatMap((fields) => Object.keys(fields)))) {
    const isOther =
      name === 'workflow' || NAMES.includes(name) || COMMANDS.some((command) => shortWords(command) === name);
    const text = await help('help', name);
    const objects = DOCS.filter((fields) => Object.hasOwn(fields, name)).length;
    assert.equal(
      text.split('\n').filter((line) => line.startsWith(`'${name}' is a field of `)).length,
      isOther ? 0 : objects,
    );
  }
});

test('`cli page` is `cli ui`', async () => {
  assert.equal(await help('page', '--help'), await help('ui', '--help'));
  assert.equal(await help('help', 'page'), await help('help', 'ui'));
});

test('an error about an unknown field ends with the topic, in text output only', async (t) => {
  const cwd = workflowDirectory(t, '{ "workflows": { "w": { "stepz": [], "nonsense": 1 } } }');
  const known = Object.keys(docs.WORKFLOW_DOCS).join(', ');
  const messages = [
    "unknown field 'stepz'; did you mean 'steps'?",
    `unknown field 'nonsense'; expected one of: ${known}`,
  ];
  const { stdout } = await cli(['validate'], { cwd });
  const lines = stdout.split('\n').filter((line) => line.includes('unknown field'));
  assert.deepEqual(
    lines.map((line) => line.replace(/^.*error: workflow 'w': /, '')),
    [`${messages[0]} see: cli help file`, `${messages[1]}; see: cli help file`],
  );
  const document = JSON.parse((await cli(['workflow', 'validate'], { cwd })).stdout);
  assert.deepEqual(
    document.errors.map(({ message }: { message: string }) => message),
    messages,
  );
  const { findings } = JSON.parse((await cli(['validate', '--format', 'json'], { cwd })).stdout);
  assert.deepEqual(
    findings.map(({ message }: { message: string }) => message),
    messages,
  );
});

test('help on an unknown word is an error', async (t) => {
  const { code, stderr } = await cli(['help', 'nonsense'], { cwd: temporaryDirectory(t) });
  assert.equal(code, 2);
  assert.equal(stderr.split('\n')[0], "cli: unknown command 'nonsense'");
  const near = await cli(['help', 'retyr'], { cwd: temporaryDirectory(t) });
  assert.equal(near.stderr.split('\n')[0], "cli: unknown command 'retyr'; did you mean 'retry'?");
});
