import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { DEFAULT_FILE } from '../../../src/cli/command_line/default_file.ts';
import { readQuickly } from '../../../src/cli/command_line/quick_parser.ts';
import type { serve } from '../../../src/cli/commands/mcp/mcp.d.cts';
import { COMMAND, ROOT } from '../cli.ts';
import { connected, connectHost, environment, type Host, type HostSettings } from './agent.ts';

const bundle: { serve: typeof serve } = createRequire(import.meta.url)(join(ROOT, 'dist/mcp.cjs'));

/** The members of a request by which a host of 2026-07-28 says what it is. It shows forms. */
export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

/** A server in this process, with a workflow file: what it reads and what it writes. */
type Served = Readonly<{ input: PassThrough; output: PassThrough }>;

function serveStreams(path: string, env: Readonly<Record<string, string>> = {}, now: () => number = Date.now): Served {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const request = readQuickly(['mcp', '--file', path]);
  assert.ok(request.kind === 'command');
  const io = { stdin: 0, stdout: 1, stderr: 2, env, die: async () => 1 };
  bundle.serve({ io, options: request.options, input, output, exit: () => undefined, now });
  output.setEncoding('utf8');
  return { input, output };
}

/** Starts a server in this process, for a file. Returns a function that sends a request and waits for the answer. */
export function serveHere(
  t: TestContext,
  path: string,
  now: () => number = Date.now,
): (message: object) => Promise<object> {
  const { input, output } = serveStreams(path, {}, now);
  t.after(() => input.end());
  const lines = output[Symbol.asyncIterator]();
  return async (message) => {
    input.write(`${JSON.stringify(message)}\n`);
    const { value } = await lines.next();
    return Object(JSON.parse(String(value)));
  };
}

/** The lines between a host and a server in this process. */
class Lines implements Transport {
  readonly #served: Served;
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(served: Served) {
    this.#served = served;
  }

  async start(): Promise<void> {
    let rest = '';
    this.#served.output.on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.onmessage?.(JSON.parse(line));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#served.input.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#served.input.end();
    this.onclose?.();
  }
}

/**
 * A host whose server is in this process, for tests of what is answered: a start takes a tenth of the time of a process.
 * Not for tests of the streams and the end of a server. Until the end of the test, this process is in the directory.
 */
export async function connectHere(t: TestContext, cwd: string, settings: HostSettings = {}): Promise<Host> {
  if (process.env['TESTED_COMMAND'] !== undefined) return connectHost(t, cwd, settings);
  enter(t, cwd);
  return connected(t, cwd, new Lines(serveStreams(DEFAULT_FILE, environment(settings.env ?? {}))), settings);
}

/** What this process is outside of such tests. */
const { argv, execArgv } = process;
const directory = process.cwd();

/** Makes this process one of the tool in a directory, until the end of a test: runs are started by the same command. */
function enter(t: TestContext, cwd: string): void {
  Object.assign(process, { argv: COMMAND, execArgv: [] });
  process.chdir(cwd);
  t.after(() => {
    Object.assign(process, { argv, execArgv });
    process.chdir(directory);
  });
}
