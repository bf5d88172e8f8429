/* Steps in the background in every view of a plan, and in simulated runs. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parse, preview } from '../../src/api.ts';
import { workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { connectHere } from '../support/mcp/served.ts';

const server = (port: string, timeout: string): object => ({
  name: 'server',
  run: 'serve "$PORT"',
  background: true,
  ready: { port },
  timeout,
});
const FILE = {
  workflows: {
    e2e: {
      env: { PORT: '8000' },
      finally: 'bye',
      steps: [
        { name: 'choose', run: 'choose', outputs: { DB: 'text' } },
        { name: 'db', run: 'postgres', background: true, ready: { url: 'http://localhost:${steps.choose.DB}/' } },
        server('${vars.PORT}', '10s'),
        { name: 'tests', run: 'npm test' },
        'later',
      ],
    },
  },
};

/** The output of `cli` about the file. */
async function printed(t: TestContext, ...words: string[]): Promise<string> {
  const cwd = workflowDirectory(t, FILE);
  writeFileSync(join(cwd, 'new.json'), JSON.stringify(FILE).replace('"10s"', '"20s"').replace('${vars.PORT}', '1'));
  const { stdout, stderr, code } = await inProcess(t, words, { cwd });
  assert.deepEqual([code === 2, stderr], [false, ''], stderr);
  return stdout;
}

const LIFE = {
  db: 'in the background until e2e ends; ready when http://localhost:${steps.choose.DB}/ answers, at most 1m',
  server: 'in the background until e2e ends; ready when port 8000 answers, at most 10s',
};

test('the dry run shows a step in the background and its stop', async (t) => {
  const text = `workflow e2e
  - choose  (gives DB)  choose
  - db  (${LIFE.db})  postgres
  - server  (${LIFE.server})  serve "$PORT"
  - tests  npm test
  - step_5  later
  - stop server, db
  [finally of e2e]  bye
`;
  assert.equal(await printed(t, 'run', 'e2e', '--dry-run'), text);
  const { steps } = JSON.parse(await printed(t, 'workflow', 'run', 'e2e', '--dry-run', '--quiet'));
  const [env, command] = [{ PORT: '8000' }, 'serve "$PORT"'];
  const ready = { port: '${vars.PORT}' };
  assert.deepEqual(steps[2], { name: 'server', command, env, timeout: '10s', background: true, ready });
  assert.deepEqual(steps[5], { stop: ['server', 'db'] });
});

test('explain says until when a step in the background runs, and which outputs its test reads', async (t) => {
  assert.equal(
    await printed(t, 'explain', 'e2e', '--step', 'db'),
    `db  (step 2 of e2e)
  $ postgres
  ${LIFE.db}
  reads DB of choose  (step 1 of e2e)
  PORT=8000  (env of e2e)
`,
  );
  const { steps } = JSON.parse(await printed(t, 'workflow', 'explain', 'e2e', '--format', 'json'));
  assert.deepEqual(steps[2].background, LIFE.server.split('; '));
  assert.equal('background' in steps[3], false);
});

test('a graph says until when a step in the background runs', async (t) => {
  const mermaid = await printed(t, 'graph', 'e2e');
  assert.deepEqual(mermaid.match(/op\d\[.*/g), [
    'op0["choose"]',
    'op1["db #40;in the background until e2e ends#41;"]',
    'op2["server #40;in the background until e2e ends#41;"]',
    'op3["tests"]',
    'op4["step_5"]',
  ]);
  const dot = await printed(t, 'graph', 'e2e', '--format', 'dot');
  assert.match(dot, /op2 \[label="server \(in the background until e2e ends\)", shape=box\];/);
});

test('a comparison, a plan file and the digest show a changed test of readiness', async (t) => {
  assert.equal(
    await printed(t, 'diff', 'e2e', '--from', '.cli/workflow.json', '--to', 'new.json'),
    `workflow e2e
  ~ server
      - timeout: 10s
      + timeout: 20s
      - ready: port \${vars.PORT}
      + ready: port 1
`,
  );
  const plan = await printed(t, 'plan', 'e2e');
  assert.match(plan, /^plan 3 e2e\n/);
  assert.match(
    plan,
    /2 run e2e\/server {4}@1 serve "\$PORT"\n +at most 10s\n +in the background\n +ready: port \$\{vars\.PORT\}\n +ready @3\n[^]*5 stop e2e {10}@1 2, 1\n/,
  );
  const digests = [[], ['--file', 'new.json']].map((file) => printed(t, 'plan', 'e2e', '--digest', ...file));
  assert.equal(new Set(await Promise.all(digests)).size, 2);
});

test('what a person approves for an agent shows steps in the background and their stop', async (t) => {
  const host = await connectHere(t, workflowDirectory(t, FILE));
  const { plan }: Readonly<Record<string, unknown>> = Object(
    (await host.call('plan_workflow', { workflow: 'e2e' })).content,
  );
  assert.equal(
    String(plan),
    `workflow e2e
  sets PORT=8000
  - choose  (gives DB from text)
    | choose
  - db  (in the background until e2e ends; ready when "http://localhost:\${steps.choose.DB}/" answers, at most 1m)
    | postgres
  - server  (${LIFE.server})
    | serve "$PORT"
  - tests
    | npm test
  - step_5
    | later
  - stop server, db
  [finally of e2e]
    | bye`,
  );
});

const FAILED = `workflow e2e, as assumed
  - choose  choose
  - db  postgres
  - server  ended with exit code 1 before it was ready
  [finally of e2e]  bye
the run would fail: 3 steps of 5 would run, 1 of them would fail
`;
const DIED = `workflow e2e, as assumed
  - choose  choose
  - db  postgres
  - server  serve "$PORT"
  - tests  npm test
  - server  ended with exit code 1 while 'tests' ran
  [finally of e2e]  bye
the run would fail: 4 steps of 5 would run, 1 of them would fail
`;

for (const [assumption, text, failed] of [
  ['server=fail', FAILED, 'op2'],
  ['server=dies', DIED, 'op2'],
] as const) {
  test(`a simulated run with ${assumption}: in the dry run, the graph and the library`, async (t) => {
    assert.equal(await printed(t, 'run', 'e2e', '--dry-run', '--assume', assumption), text);
    assert.match(await printed(t, 'graph', 'e2e', '--assume', assumption), new RegExp(`class ${failed},finish failed`));
    const project = parse(JSON.stringify(FILE));
    const { simulation, exitCode } = await preview(project, 'e2e', { assume: [assumption] });
    assert.deepEqual([simulation?.text, exitCode], [text, 1]);
  });
}

test('without assumptions, no test of readiness fails; only a step in the background dies', async (t) => {
  assert.match(await printed(t, 'run', 'e2e', '--dry-run', '--assume', 'tests=ok'), /the run would succeed: 5 steps/);
  const { stderr, code } = await inProcess(t, ['run', 'e2e', '-n', '--assume', 'tests=dies'], {
    cwd: workflowDirectory(t, FILE),
  });
  assert.equal(code, 2);
  assert.match(stderr, /only a single step in the background dies/);
});
