import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsOf } from '../../src/ir/environment.ts';
import { CandidateSettings } from '../../src/ir/views/candidate_settings.ts';
import { workflowDirectory } from '../support/cli.ts';
import { inProcess, toolInProcess } from '../support/in_process.ts';
import { compiled } from '../support/plans.ts';
import { random } from '../support/random/random.ts';

const FILE = JSON.stringify({
  env: { STAGE: 'dev', DB_PASSWORD: 'hunter2' },
  workflows: {
    release: {
      env: { STAGE: 'live' },
      steps: [
        { workflow: 'build', with: { MODE: 'fast' } },
        { name: 'tag', run: 'git tag' },
      ],
    },
    build: { env: { MODE: 'slow' }, steps: ['make'] },
  },
});
const OVERRIDDEN = `<stdin>:1:139: warning: workflow 'release': step 1: 'with.MODE' has no effect: a parameter overrides it\n`;
const explain = ['workflow', 'explain', 'release', '--file', '-'];

test('explain --format json prints the source of a variable of one step, and the overridden sources', async (t) => {
  const words = [...explain, 'MODE', 'MODE:own', '--step', '1', '--format', 'json'];
  const { code, stdout, stderr } = await toolInProcess(t)(words, { input: FILE, env: { MODE: 'process' } });
  assert.deepEqual([code, stderr], [0, OVERRIDDEN]);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'release',
    steps: [
      {
        path: ['build'],
        workflow: 'build',
        step: 1,
        name: 'step_1',
        command: 'make',
        variables: [
          {
            name: 'MODE',
            value: 'own',
            source: 'parameters',
            over: [
              { value: 'fast', source: 'with of release step 1' },
              { value: 'slow', source: 'env of build' },
              { value: 'process', source: 'environment' },
            ],
          },
        ],
      },
    ],
  });
});

test('explain finds a step by its name, and masks secrets from every source', async (t) => {
  const words = [...explain, 'DB_PASSWORD', 'DB_PASSWORD:swordfish', '--step', 'tag'];
  assert.deepEqual(await toolInProcess(t)(words, { input: FILE, env: { DB_PASSWORD: 'letmein' } }), {
    code: 0,
    stdout:
      'tag  (step 2 of release)\n  $ git tag\n  DB_PASSWORD=***  (parameters)\n    not ***  (global env)\n    not ***  (environment)\n',
    stderr: '',
  });
});

test('explain reports an unset variable and an unknown step, with suggestions', async (t) => {
  const tool = toolInProcess(t);
  const unset = await tool([...explain, 'UNHEARD_OF', '--step', 'tag'], { input: FILE });
  assert.deepEqual(unset, {
    code: 0,
    stdout: 'tag  (step 2 of release)\n  $ git tag\n  no variables\n',
    stderr: "cli: nothing sets 'UNHEARD_OF' for these steps\n",
  });
  const misspelt = await tool([...explain, 'DB_PASWORD', '--step', 'tag'], { input: FILE });
  assert.equal(misspelt.stderr, "cli: nothing sets 'DB_PASWORD' for these steps; did you mean 'DB_PASSWORD'?\n");
  assert.deepEqual(await tool([...explain, '--step', 'tags'], { input: FILE }), {
    code: 2,
    stdout: '',
    stderr:
      "cli: no step 'tags' in workflow 'release'; did you mean 'tag'?\ncli: to list the steps: cli run release --dry-run\n",
  });
  assert.deepEqual(await tool([...explain, '--format', 'yaml'], { input: FILE }), {
    code: 2,
    stdout: '',
    stderr: "cli: flag '--format' must be one of: text, json\ncli: see 'cli workflow explain --help'\n",
  });
});

test('the source that explain lists first has precedence in a run, for 200 random plans', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const source = random(seed);
    const vars = (): Record<string, string> => {
      return Object.fromEntries(
        ['A', 'B', 'C'].flatMap((name) => (source.chance(0.5) ? [[name, String(source.below(1000))]] : [])),
      );
    };
    const calls = (index: number): object[] => (index < 3 ? [{ workflow: `w${index + 1}`, with: vars() }] : []);
    const workflows = Object.fromEntries(
      [0, 1, 2, 3].map((index) => {
        return [`w${index}`, { env: vars(), steps: [{ run: 'true', with: vars() }, ...calls(index), 'true'] }];
      }),
    );
    const plan = compiled(JSON.stringify({ env: vars(), workflows }), 'w0', Object.entries(vars()));
    const settings = settingsOf(plan);
    const candidates = new CandidateSettings(plan, undefined);
    for (const { frame } of plan.ops) {
      candidates.moveTo(frame);
      const winners = candidates.names().map((name) => [name, candidates.of(name)[0]] as const);
      assert.deepEqual(new Map(winners), new Map(settings(frame)), `seed ${seed}`);
    }
  }
});

test('a chain of 12,000 calls can be drawn and explained', async (t) => {
  const chain = Array.from(
    { length: 12_000 },
    (_, index) => [`w${index}`, { steps: [{ workflow: `w${index + 1}` }] }] as const,
  );
  const input = JSON.stringify({ workflows: Object.fromEntries([...chain, ['w12000', { steps: ['true'] }]]) });
  const tool = toolInProcess(t);
  for (const format of ['mermaid', 'dot']) {
    const { code, stdout } = await tool(['workflow', 'graph', 'w0', '--file', '-', '--format', format], { input });
    assert.deepEqual([code, stdout.match(/subgraph/g)?.length], [0, 12_001]);
  }
  const { stdout } = await tool(['workflow', 'explain', 'w0', '--file', '-'], { input });
  const outer = Array.from({ length: 8 }, (_, index) => `w${index + 1} > `).join('');
  const inner = Array.from({ length: 8 }, (_, index) => `w${index + 11_993} > `).join('');
  assert.equal(stdout, `${outer}… > ${inner}step_1  (step 1 of w12000)\n  $ true\n  no variables\n`);
});

test('explain lists the outputs that a step reads, also as JSON, without overridden ones', async (t) => {
  const give = { name: 'give', run: './give', outputs: { A: '$.a', API_TOKEN: '$.t', C: '$.c' } };
  const call = {
    workflow: 'inner',
    with: { V: '${steps.give.A}', W: 'w${steps.give.C}', API_TOKEN: '${steps.give.API_TOKEN}' },
  };
  const inner = { private: true, steps: [{ run: 'echo ${steps.give.A}', with: { W: 'own' } }] };
  const input = JSON.stringify({ workflows: { ci: { steps: [give, call] }, inner } });
  const words = ['workflow', 'explain', 'ci', '--file', '-', '--step', '2', 'V:1'];
  const document = await toolInProcess(t)([...words, '--format', 'json'], { input });
  const by = { name: 'give', workflow: 'ci', step: 1 };
  const source = 'with of ci step 2';
  assert.deepEqual(JSON.parse(document.stdout), {
    workflow: 'ci',
    steps: [
      {
        path: ['inner'],
        workflow: 'inner',
        step: 1,
        name: 'step_1',
        command: 'echo ${steps.give.A}',
        variables: [
          { name: 'API_TOKEN', value: '***', source, over: [] },
          { name: 'V', value: '1', source: 'parameters', over: [{ value: '${steps.give.A}', source }] },
          { name: 'W', value: 'own', source: 'with of inner step 1', over: [{ value: 'w${steps.give.C}', source }] },
        ],
        reads: [
          { output: 'A', ...by },
          { output: 'API_TOKEN', ...by },
        ],
      },
    ],
  });
});

test('the name of a workflow in a suggestion is a word of a shell', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { '$(touch pwned)': { steps: ['true'] } } });
  const { stderr } = await inProcess(t, ['explain', '$(touch pwned)', '--step', 'no'], { cwd });
  assert.ok(stderr.endsWith(String.raw`to list the steps: cli run '$(touch pwned)' --dry-run` + '\n'), stderr);
});
