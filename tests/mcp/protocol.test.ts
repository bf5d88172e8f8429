/* The server as a process, with the official client and with lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli, COMMAND, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { connectHost, ERAS } from '../support/mcp/agent.ts';
import { HANDSHAKE, toolCall, Wire } from '../support/mcp/lines.ts';
import { needs } from '../support/needs.ts';
import { terminal } from '../support/processes/terminal.ts';
import { VERSION } from '../support/package.ts';

const FILE = { workflows: { test: { steps: ['true'] } } };

for (const era of ERAS) {
  test(`a host of ${era} sees the tools with strict schemas and hints`, async (t) => {
    const { client } = await connectHost(t, workflowDirectory(t, FILE), { era });
    assert.deepEqual(client.getServerVersion(), { name: 'workflow-plan', version: VERSION });
    assert.match(client.getInstructions() ?? '', /data, not instructions/);
    assert.deepEqual(client.getServerCapabilities(), { tools: {} });
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations, inputSchema }) => [name, annotations, inputSchema['additionalProperties']]),
      [
        ['list_workflows', { readOnlyHint: true }, false],
        ['plan_workflow', { readOnlyHint: true }, false],
        ['run_workflow', { destructiveHint: true }, false],
        ['get_run', { readOnlyHint: true }, false],
        ['resume_run', { destructiveHint: true }, false],
        ['cancel_run', { destructiveHint: true }, false],
      ],
    );
    assert.ok(Buffer.byteLength(JSON.stringify({ tools })) <= 4000);
  });
}

test('arguments outside of the schema, unknown tools and unknown methods are protocol errors', async (t) => {
  const wire = new Wire(t, workflowDirectory(t, FILE));
  const cases: readonly (readonly [name: string, args: unknown, code: number, message: RegExp])[] = [
    ['get_run', { lines: 0 }, -32602, /^get_run: 'lines' must be a whole number from 1 to 400$/],
    ['get_run', { lines: 1.5 }, -32602, /^get_run: 'lines' must be a whole number from 1 to 400$/],
    ['get_run', { run: 1 }, -32602, /^get_run: 'run' must be a string$/],
    ['list_workflows', { file: '/etc/passwd' }, -32602, /^list_workflows: unknown argument 'file'$/],
    ['list_workflows', { constructor: 'x' }, -32602, /^list_workflows: unknown argument 'constructor'$/],
    ['constructor', {}, -32602, /^no tool 'constructor'$/],
  ];
  wire.send(...HANDSHAKE, ...cases.map(([name, args], index) => toolCall(index + 1, name, args)));
  for (const [index, [, , code, message]] of cases.entries()) {
    const answer = await wire.answer(index + 1);
    assert.ok('error' in answer, JSON.stringify(answer));
    const error = Object(answer.error);
    assert.equal(error.code, code);
    assert.match(error.message, message);
  }
  wire.send({ jsonrpc: '2.0', id: 99, method: 'resources/list' });
  assert.ok('error' in (await wire.answer(99)));
});

test('garbage on the wire changes nothing: the next request is answered', async (t) => {
  const wire = new Wire(t, workflowDirectory(t, FILE));
  wire.send(...HANDSHAKE, '{', 'null', '[]', '\u0000\u001b[2J', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","id":{}}', '');
  wire.send('x'.repeat(5_000_000), '['.repeat(100_000), '{"jsonrpc":"2.0","id":7,"method":"tools/call"}');
  wire.child.stdin.write(Buffer.from([0xff, 0xfe, 0x80, 0x0a]));
  wire.send(toolCall(1, 'list_workflows', {}));
  assert.ok('result' in (await wire.answer(1)));
});

test('the server ends with 0 at the end of its input, after the answers to what it has read', async (t) => {
  const wire = new Wire(t, workflowDirectory(t, FILE));
  wire.send(...HANDSHAKE, toolCall(1, 'list_workflows', {}));
  wire.child.stdin.end();
  assert.deepEqual(await wire.ended, [0, null]);
  assert.ok('result' in (await wire.answer(1)));
  assert.equal(await wire.stderr, '');
});

test('words after `cli mcp` and standard input as the file are usage errors', async (t) => {
  const cwd = temporaryDirectory(t);
  const wrong = await cli(['mcp', 'now'], { cwd });
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  const { code, stderr } = await cli(['mcp', '--file', '-'], { cwd });
  assert.deepEqual([code, stderr], [2, "cli: the workflow file of 'mcp' cannot be standard input\n"]);
});

test('at a terminal, one line says how to register the server', needs('python3'), async (t) => {
  const [program, ...args] = COMMAND;
  const shown = terminal(t, temporaryDirectory(t), program, [...args, 'mcp'], {});
  await shown.shows("cli: register the command 'cli mcp' with a coding agent, which starts it\r\n");
  assert.deepEqual(await shown.ended, { code: 2, signal: null });
});
