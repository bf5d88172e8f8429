import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { COMMAND } from '../cli.ts';
import { until } from '../until.ts';
import { environment } from './agent.ts';

/** The lines that begin a connection of 2025-11-25. */
export const HANDSHAKE = [
  {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lines', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];

/** A call of a tool. */
export function toolCall(id: number, name: string, args: unknown): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** A server to which a test writes lines. */
export class Wire {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<unknown[]>;
  readonly stderr: Promise<string>;
  readonly cwd: string;
  #received = '';

  constructor(t: TestContext, cwd: string, args: readonly string[] = []) {
    this.cwd = cwd;
    const [command, ...first] = COMMAND;
    this.child = spawn(command, [...first, 'mcp', ...args], { cwd, env: environment({}) });
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => (this.#received += chunk));
    this.ended = once(this.child, 'close');
    this.stderr = text(this.child.stderr);
    t.after(() => this.child.kill('SIGKILL'));
  }

  send(...messages: readonly (object | string)[]): void {
    for (const each of messages) this.child.stdin.write(`${typeof each === 'string' ? each : JSON.stringify(each)}\n`);
  }

  /** All messages of the server so far. Everything that it prints is a message. */
  get messages(): readonly object[] {
    const lines = this.#received.slice(0, this.#received.lastIndexOf('\n') + 1).split('\n');
    return lines.filter((line) => line !== '').map((line) => Object(JSON.parse(line)));
  }

  /** The answer to a request. */
  async answer(id: number): Promise<object> {
    const find = (): object | undefined => this.messages.find((each) => 'id' in each && each.id === id);
    await until(
      () => find() !== undefined,
      () => `an answer to ${id} in ${this.#received}`,
    );
    return find() ?? {};
  }
}
