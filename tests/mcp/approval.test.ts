/* Runs that a person approves in a form, in both eras of the protocol. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { COMMAND_LINE, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { environment, ERAS, type Answer, type Form, type Host } from '../support/mcp/agent.ts';
import { recordedRuns, runOf } from '../support/mcp/runs.ts';
import { connectHere } from '../support/mcp/served.ts';

const APPROVE: Answer = { action: 'accept', content: { run: true } };
const DECLINED = {
  content: { error: 'declined', message: 'the run was not approved; nothing was started' },
  isError: true,
};
const CHANGED = {
  content: { error: 'changed', message: 'the plan has changed since it was shown; nothing was started' },
  isError: true,
};

const FILE = {
  include: { lib: './lib.json' },
  dotenv: '.env',
  workflows: {
    release: {
      inputs: { VERSION: { required: true }, DRY: { type: 'boolean', default: 'false' } },
      steps: ['echo "$VERSION $DRY" >> ran.txt', { workflow: 'lib:publish' }],
    },
    other: { steps: ['true'] },
  },
};
const LIB = { workflows: { publish: { env: { API_TOKEN: 'one' }, steps: ['echo published >> ran.txt'] } } };

function writeRelease(cwd: string): void {
  mkdirSync(join(cwd, '.cli'), { recursive: true });
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(FILE));
  writeFileSync(join(cwd, '.cli/lib.json'), JSON.stringify(LIB));
  writeFileSync(join(cwd, '.env'), 'PLACE=here\nAPP_SECRET=a\n');
}

function releaseProject(t: TestContext): string {
  const cwd = temporaryDirectory(t);
  writeRelease(cwd);
  return cwd;
}

const RELEASE = { workflow: 'release', inputs: { VERSION: '1.2.0', DRY: true } };

const ASKING = {
  workflows: { a: { steps: ['echo 1 > ran.txt', { name: 'publish', run: 'true', confirm: 'Publish to everyone?' }] } },
};

/** Answers that do not approve. */
const REFUSALS: Readonly<Record<string, Answer>> = {
  declined: { action: 'decline' },
  cancelled: { action: 'cancel' },
  'not ticked': { action: 'accept', content: { run: false, confirm_1: true } },
  'ticked without the question of a step': { action: 'accept', content: { run: true, confirm_1: false } },
  'sent with a part': { action: 'accept', content: { run: true } },
  'sent empty': { action: 'accept' },
};

/** Edits between question and answer, and the errors that follow. */
const EDITS: Readonly<Record<string, readonly [edit: (cwd: string) => void, error: string]>> = {
  'the file': [(cwd) => rewrite(cwd, '.cli/workflow.json', 'ran.txt', 'other.txt'), 'changed'],
  'an included file': [(cwd) => rewrite(cwd, '.cli/lib.json', 'published', 'leaked'), 'changed'],
  'a value of a dotenv file': [(cwd) => rewrite(cwd, '.env', 'here', 'there'), 'changed'],
  'a secret of a dotenv file': [(cwd) => rewrite(cwd, '.env', '=a', '=b'), 'changed'],
  'a secret of an included file': [(cwd) => rewrite(cwd, '.cli/lib.json', 'one', 'two'), 'changed'],
  'the policy': [(cwd) => rewrite(cwd, '.cli/workflow.json', '"inputs"', '"agents":"deny","inputs"'), 'denied'],
  'the file, which is broken': [(cwd) => writeFileSync(join(cwd, '.cli/workflow.json'), '{'), 'invalid'],
  'the file, which is gone': [(cwd) => rmSync(join(cwd, '.cli/workflow.json')), 'invalid'],
  'the workflow, which is gone': [(cwd) => rewrite(cwd, '.cli/workflow.json', '"release"', '"renamed"'), 'unknown'],
};

for (const era of ERAS) {
  describe(era, () => {
    test('an approved run is started once, with the inputs, and is recorded as approved', async (t) => {
      const forms: Form[] = [];
      const answer = (form: Form): Answer => {
        forms.push(form);
        return APPROVE;
      };
      const host = await connectHere(t, releaseProject(t), { era, answer });
      const called = await host.call('run_workflow', RELEASE);
      const run = runOf(called);
      assert.deepEqual(called, { content: { run, workflow: 'release', state: 'succeeded', done: 2 }, isError: false });
      assert.equal(readFileSync(join(host.cwd, 'ran.txt'), 'utf8'), '1.2.0 true\npublished\n');
      assert.deepEqual(recordedRuns(host.cwd), [{ run, agents: ['approved'] }]);
      assert.equal(forms.length, 1);
      const [form] = forms;
      assert.ok(form !== undefined && 'requestedSchema' in form);
      assert.deepEqual(form.requestedSchema, {
        type: 'object',
        properties: { run: { type: 'boolean', title: "Run workflow 'release'", default: false } },
        required: ['run'],
      });
      assert.match(form.message, /echo published >> ran\.txt/);
    });

    test('nothing runs unless everything is approved', async (t) => {
      let answer: Answer = APPROVE;
      const host = await connectHere(t, workflowDirectory(t, ASKING), { era, answer: () => answer });
      for (const [how, given] of Object.entries(REFUSALS)) {
        answer = given;
        assert.deepEqual(await host.call('run_workflow', { workflow: 'a' }), DECLINED, how);
      }
      assert.deepEqual(recordedRuns(host.cwd), []);
    });

    test('nothing runs if anything has changed between question and answer', async (t) => {
      const cwd = releaseProject(t);
      let edit: ((cwd: string) => void) | undefined;
      const answer = (): Answer => {
        edit?.(cwd);
        return APPROVE;
      };
      const host = await connectHere(t, cwd, { era, answer });
      for (const [what, [change, error]] of Object.entries(EDITS)) {
        writeRelease(cwd);
        edit = change;
        const called = await host.call('run_workflow', RELEASE);
        assert.equal(Object(called.content).error, error, what);
        if (error === 'changed') assert.deepEqual(called, CHANGED);
      }
      assert.deepEqual([recordedRuns(cwd), existsSync(join(cwd, 'ran.txt'))], [[], false]);
    });

    test('each question of a step is a boolean of its own, and all of them together approve', async (t) => {
      const titles: unknown[] = [];
      const answer = (form: Form): Answer => {
        assert.ok('requestedSchema' in form);
        titles.push(...Object.values(form.requestedSchema.properties).map(({ title }) => title));
        return { action: 'accept', content: { run: true, confirm_1: true } };
      };
      const host = await connectHere(t, workflowDirectory(t, ASKING), { era, answer });
      const { isError } = await host.call('run_workflow', { workflow: 'a' });
      assert.deepEqual([isError, titles], [false, ["Run workflow 'a'", 'Publish to everyone?']]);
    });

    test('a host without forms gets the command that a person can type, whose run it can follow', async (t) => {
      const host = await connectHere(t, releaseProject(t), { era });
      const value = `it's "$HOME" \\ ;|&`;
      const called = await host.call('run_workflow', { workflow: 'release', inputs: { VERSION: value } });
      const { error, command }: Readonly<Record<string, string>> = Object(called.content);
      assert.equal(error, 'cannot_ask');
      assert.deepEqual(recordedRuns(host.cwd), []);
      assert.match(command ?? '', /^cli run release .* --plan-digest [0-9a-f]{64}$/s);
      execFileSync('bash', ['-c', `cli() { ${COMMAND_LINE} "$@"; }; ${command}`], {
        cwd: host.cwd,
        env: environment({}),
        stdio: 'ignore',
      });
      assert.equal(readFileSync(join(host.cwd, 'ran.txt'), 'utf8'), `${value} \npublished\n`);
      const [typed] = recordedRuns(host.cwd);
      const { content } = await host.call('get_run', { run: typed?.run });
      assert.deepEqual(content, { run: typed?.run, workflow: 'release', state: 'succeeded', done: 2 });
      assert.deepEqual(typed?.agents, [undefined]);
    });
  });
}

function rewrite(cwd: string, file: string, from: string, to: string): void {
  const path = join(cwd, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

/** The digest that plan_workflow gives. */
async function digestOf(host: Host, args: Record<string, unknown>): Promise<unknown> {
  return Object((await host.call('plan_workflow', args)).content).digest;
}

test('a digest of an earlier plan that differs is `changed` before any question; an equal one is asked about', async (t) => {
  let asked = 0;
  const answer = (): Answer => {
    asked += 1;
    return APPROVE;
  };
  const host = await connectHere(t, releaseProject(t), { answer });
  const digest = await digestOf(host, RELEASE);
  const called = await host.call('run_workflow', { ...RELEASE, inputs: { VERSION: '2' }, plan_digest: digest });
  assert.equal(Object(called.content).error, 'changed');
  assert.equal(asked, 0);
  assert.equal((await host.call('run_workflow', { ...RELEASE, plan_digest: digest })).isError, false);
  assert.equal(asked, 1);
});

test('a plan that nobody would read to its end is too long to approve, and can be typed', async (t) => {
  const steps = Array.from({ length: 1200 }, (_, index) => `echo step ${index}`);
  const host = await connectHere(t, workflowDirectory(t, { workflows: { a: { steps } } }), { answer: () => APPROVE });
  const { content } = await host.call('run_workflow', { workflow: 'a' });
  assert.deepEqual(Object(content).error, 'too_long');
  assert.match(Object(content).command, /^cli run a --plan-digest [0-9a-f]{64}$/);
  const planned = Object((await host.call('plan_workflow', { workflow: 'a' })).content);
  assert.ok(planned.plan.length <= 24_001 && planned.plan.endsWith('…'));
  assert.deepEqual(recordedRuns(host.cwd), []);
});
