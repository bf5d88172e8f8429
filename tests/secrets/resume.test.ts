import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { isAlive } from '../support/processes/processes.ts';
import { until } from '../support/until.ts';

const env = { CLI_NO_JOURNAL: undefined };
const bash = (script: string): object => ({ command: ['bash', '-c', script] });
const textOf = (cwd: string, name: string): string =>
  existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8').trim().replaceAll('\n', ' ') : '';

/** A provider that records its start. */
const provider = (name: string, script: string): object => bash(`echo ${name} >> starts; ${script}; echo v${name}`);

/** Two steps that use the same variables, with other fields. */
const steps = (secrets: object): object => ({
  steps: [
    { name: 'first', run: 'echo "first $WHO $API_TOKEN" >> ran', ...secrets },
    { name: 'second', run: 'echo "second $WHO $API_TOKEN $STAGE" >> ran; test -e fixed', ...secrets },
  ],
});

/** Two steps, with the lists of secrets of each. */
const file = (program: string, ...lists: string[][]): object => ({
  secrets: { A: { command: ['echo', program] }, B: { command: ['echo', 'b'] } },
  workflows: {
    ci: {
      steps: [
        { name: 'give', run: 'echo give >> ran; echo "<$A>"', secrets: lists[0], outputs: { TEXT: 'text' } },
        { name: 'use', run: 'echo "use ${steps.give.TEXT}" >> ran; test -e fixed', secrets: lists[1] },
      ],
    },
  },
});

test('a recorded parameter that is a secret of the edited file is left out, and its finished steps are kept', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { ci: steps({}) } });
  const run = await cli(['run', 'ci', 'WHO:me', 'API_TOKEN:old', 'STAGE:dev'], { cwd, env });
  assert.equal(run.code, 1);
  const secrets = { WHO: { command: ['echo', 'fetched'] }, API_TOKEN: { command: ['echo', 'new'] } };
  const edited = { secrets, workflows: { ci: steps({ secrets: ['WHO', 'API_TOKEN'] }) } };
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(edited));
  writeFileSync(join(cwd, 'fixed'), '');
  const given = await cli(['resume', '--last', 'WHO:me'], { cwd, env });
  assert.deepEqual(
    [given.code, given.stderr],
    [2, "cli: 'WHO' is a secret of the file; set it in the environment, not on the command line\n"],
  );
  const { code, stderr } = await cli(['resume', '--last'], { cwd, env });
  assert.equal(code, 0, stderr);
  assert.ok(
    stderr.includes(
      [
        'cli: the recorded parameters are STAGE=dev',
        'cli: the recorded parameter WHO is left out: it is a secret of the file now',
        'cli: the recorded parameter API_TOKEN is left out: it is a secret of the file now',
        '',
      ].join('\n'),
    ),
    stderr,
  );
  assert.equal(textOf(cwd, 'ran'), 'first me old second me old dev second fetched new dev');
});

/** A provider that goes on until a file `go` exists. */
const slow = 'test -e fixed || { echo $$ > pid; echo ready >&2; until test -e go; do sleep 0.02; done; touch ended; }';

/** Kills the tool while the provider runs, and lets the provider end. Nothing else ends it: it is no command of the run. */
async function killed(cwd: string): Promise<void> {
  const [file, ...first] = COMMAND;
  const child = spawn(file, [...first, 'run', 'ci', '-q'], {
    cwd,
    env: { ...process.env, CLI_NO_JOURNAL: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  for await (const chunk of child.stderr) {
    said += String(chunk);
    if (said.includes('ready')) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(isAlive(Number(textOf(cwd, 'pid'))));
  writeFileSync(join(cwd, 'go'), '');
  await until(
    () => existsSync(join(cwd, 'ended')),
    () => 'the provider has gone on to its end',
  );
  writeFileSync(join(cwd, 'fixed'), '');
}

test('after kill -9 while a provider runs, the provider goes on to its end, and a resume fetches only what is left to run', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { A: provider('A', 'true'), B: provider('B', slow), C: provider('C', 'true') },
    workflows: {
      ci: {
        steps: [
          { name: 'first', run: 'echo "$A" >> ran', secrets: ['A'] },
          { name: 'second', if: 'test 1', run: 'echo "$B" >> ran', secrets: ['B'] },
          { name: 'third', if: 'test 1', run: 'echo "$C" >> ran', secrets: ['C'] },
        ],
      },
    },
  });
  await killed(cwd);
  assert.deepEqual([textOf(cwd, 'ran'), textOf(cwd, 'starts')], ['vA', 'A B']);
  const { code, stderr } = await cli(['resume', '--last'], { cwd, env });
  assert.equal(code, 0, stderr);
  assert.deepEqual([textOf(cwd, 'ran'), textOf(cwd, 'starts')], ['vA vB vC', 'A B B C']);
});

test('kill -9 while a provider runs before the first command leaves no record', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { B: provider('B', slow) },
    workflows: { ci: { steps: [{ run: 'echo "$B" >> ran', secrets: ['B'] }] } },
  });
  await killed(cwd);
  assert.deepEqual([textOf(cwd, 'ran'), existsSync(join(cwd, '.cli/runs'))], ['', false]);
  const { code, stderr } = await cli(['run', 'ci', '-q'], { cwd, env });
  assert.deepEqual([code, textOf(cwd, 'ran')], [0, 'vB'], stderr);
});

test('a resume asks for the step that gave a secret output, and a changed provider or list is no edit', async (t) => {
  const cwd = workflowDirectory(t, file('one', ['A'], ['B']));
  assert.equal((await cli(['run', 'ci'], { cwd, env })).code, 1);
  writeFileSync(join(cwd, 'fixed'), '');
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(file('two', ['A', 'B'], ['A'])));
  const asked = await cli(['resume', '--last', '--dry-run'], { cwd, env });
  assert.equal(asked.code, 1);
  assert.match(
    asked.stdout,
    /^ {2}! give {2}CONFLICT: a later step reads its output TEXT, which is secret and was not recorded$/m,
  );
  const { code, stderr } = await cli(['resume', '--last', '--rerun', 'give'], { cwd, env });
  assert.equal(code, 0, stderr);
  assert.equal(textOf(cwd, 'ran'), 'give use <one> give use <two>');
});
