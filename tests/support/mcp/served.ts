import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { readQuickly } from '../../../src/command_line/quick_parser.ts';
import type { serve } from '../../../src/commands/mcp/mcp.d.cts';
import { ROOT } from '../cli.ts';

const bundle: { serve: typeof serve } = createRequire(import.meta.url)(join(ROOT, 'dist/mcp.cjs'));

/** The members of a request by which a host of 2026-07-28 says what it is. It shows forms. */
export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** Starts a server in this process, for a file. Returns a function that sends a request and waits for the answer. */
export function serveHere(
  t: TestContext,
  path: string,
  now: () => number = Date.now,
): (message: object) => Promise<object> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const request = readQuickly(['mcp', '--file', path]);
  assert.ok(request.kind === 'command');
  const io = { stdin: 0, stdout: 1, stderr: 2, env: {}, die: async () => 1 };
  bundle.serve({ io, options: request.options, input, output, exit: () => undefined, now });
  t.after(() => input.end());
  const lines = output.setEncoding('utf8')[Symbol.asyncIterator]();
  return async (message) => {
    input.write(`${JSON.stringify(message)}\n`);
    const { value } = await lines.next();
    return Object(JSON.parse(String(value)));
  };
}
