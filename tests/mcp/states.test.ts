/* The state that travels through a host of 2026-07-28 with the answer of a person. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { Wire } from '../support/mcp/lines.ts';
import { recordedRuns } from '../support/mcp/runs.ts';
import { META, serveHere } from '../support/mcp/served.ts';

const FILE = {
  workflows: { a: { inputs: { V: {} }, steps: ['echo a >> ran.txt'] }, b: { inputs: { V: {} }, steps: ['true'] } },
};

const APPROVED = { inputResponses: { approval: { action: 'accept', content: { run: true } } } };

/** A call of run_workflow; with a state, it brings an approval. */
function run(id: number, args: object, requestState?: unknown): object {
  const answer = requestState === undefined ? {} : { requestState, ...APPROVED };
  const params = { name: 'run_workflow', arguments: args, ...answer, _meta: META };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

/** The state of a question. */
function stateOf(answer: object): string {
  const { result } = Object(answer);
  assert.equal(result.resultType, 'input_required', JSON.stringify(answer));
  return result.requestState;
}

function errorOf(answer: object): unknown {
  const { result, error } = Object(answer);
  return error?.code ?? result.structuredContent.error;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const USED = 'state';
const FORGED = -32602;

test('a state is good for one run of the call that it belongs to: the first to present it wins', async (t) => {
  const wire = new Wire(t, workflowDirectory(t, FILE));
  wire.send(run(1, { workflow: 'a', inputs: { V: '1' } }));
  const state = stateOf(await wire.answer(1));
  wire.send(run(2, { workflow: 'a', inputs: { V: '1' } }, state), run(3, { workflow: 'a', inputs: { V: '1' } }, state));
  const answers = [await wire.answer(2), await wire.answer(3)].map((each) => Object(each).result.structuredContent);
  assert.deepEqual(
    answers.map(({ state: end, error }) => end ?? error).toSorted((one, other) => (one < other ? -1 : 1)),
    ['state', 'succeeded'],
  );
  wire.send(run(4, { workflow: 'a', inputs: { V: '1' } }, state));
  assert.equal(errorOf(await wire.answer(4)), USED);
  assert.equal(recordedRuns(wire.cwd).length, 1);
});

test('a state for other arguments, another workflow or of another server starts nothing; a changed one is a protocol error', async (t) => {
  const wire = new Wire(t, workflowDirectory(t, FILE));
  const other = new Wire(t, wire.cwd);
  const call = { workflow: 'a', inputs: { V: '1' } };
  for (const [index, args] of [
    { workflow: 'b', inputs: { V: '1' } },
    { workflow: 'a', inputs: { V: '2' } },
    { ...call, plan_digest: '0'.repeat(64) },
  ].entries()) {
    wire.send(run(10 + index, call));
    wire.send(run(20 + index, args, stateOf(await wire.answer(10 + index))));
    assert.equal(errorOf(await wire.answer(20 + index)), USED);
  }
  wire.send(run(1, call));
  const state = stateOf(await wire.answer(1));
  other.send(run(1, call, state));
  assert.equal(errorOf(await other.answer(1)), FORGED);
  const [version, body = '', mac] = state.split('.');
  const forged = Buffer.from(body, 'base64url').toString().replace('"exp":1', '"exp":9');
  const changed = [
    [version, Buffer.from(forged).toString('base64url'), mac].join('.'),
    `${state.slice(0, -2)}AA`,
    `${state}=`,
    `${state}==`,
    `${state} `,
    `${state}\n`,
    state.replace('.', '.='),
    [version, `${body}=`, mac].join('.'),
    // The last character has bits that are not decoded.
    `${state.slice(0, -1)}${DIGITS[DIGITS.indexOf(state.at(-1) ?? '') + 1]}`,
    'v1..',
    '',
    'x'.repeat(100_000),
  ];
  for (const [index, each] of changed.entries()) {
    wire.send(run(30 + index, call, each));
    assert.equal(errorOf(await wire.answer(30 + index)), FORGED, each.slice(0, 100));
  }
  assert.deepEqual(recordedRuns(wire.cwd), []);
});

test('a state lasts for ten minutes', async (t) => {
  const path = join(workflowDirectory(t, FILE), '.cli/workflow.json');
  let time = Date.now();
  const ask = serveHere(t, path, () => time);
  const call = { workflow: 'a' };
  const states = [stateOf(await ask(run(1, call))), stateOf(await ask(run(2, call)))];
  // Nothing starts: an answer in time gets as far as the comparison of the plan.
  writeFileSync(path, JSON.stringify({ workflows: { a: { steps: ['false'] } } }));
  time += 600_000;
  assert.equal(errorOf(await ask(run(3, call, states[0]))), 'changed');
  time += 1;
  assert.equal(errorOf(await ask(run(4, call, states[1]))), USED);
});

test('of more than 100 open questions, the oldest is void', async (t) => {
  const path = join(workflowDirectory(t, FILE), '.cli/workflow.json');
  const ask = serveHere(t, path);
  const states: string[] = [];
  for (let id = 0; id < 101; id += 1) states.push(stateOf(await ask(run(id, { workflow: 'a' }))));
  writeFileSync(path, JSON.stringify({ workflows: { a: { steps: ['false'] } } }));
  const errors = [states[0], states[1], states[100]].map((state, index) => [state, 200 + index] as const);
  const found: unknown[] = [];
  for (const [state, id] of errors) found.push(errorOf(await ask(run(id, { workflow: 'a' }, state))));
  assert.deepEqual(found, [USED, 'changed', 'changed']);
});
