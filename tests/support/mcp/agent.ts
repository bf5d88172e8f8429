import {
  Client,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequest,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { COMMAND } from '../cli.ts';

/** The protocol of a host: that of 2026-07-28, or 2025-11-25 by handshake. */
export const ERAS = ['2026-07-28', '2025-11-25'] as const;
export type Era = (typeof ERAS)[number];

/** The answer of a person to a form: an action, and the booleans that are ticked. */
export type Answer = Readonly<{ action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }>;
export type Form = ElicitRequest['params'];

export type HostSettings = Readonly<{
  era?: Era;
  env?: Readonly<Record<string, string>>;
  args?: readonly string[];
  /** The tool, if it is not the tested one. */
  program?: readonly string[];
  /** The person who answers; without one, the host cannot ask. */
  answer?: (form: Form) => Answer | Promise<Answer>;
}>;

/** The structured content of a result, and whether it is an error. */
export type Called = Readonly<{ content: unknown; isError: boolean }>;

/** A host with the official client, connected to a server in a directory. */
export class Host {
  readonly client: Client;
  readonly cwd: string;

  constructor(client: Client, cwd: string) {
    this.client = client;
    this.cwd = cwd;
  }

  async call(name: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Called> {
    return called(await this.client.callTool({ name, arguments: args }, options));
  }
}

type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>;

/** Checks the form of a result: its text is its content, and it has at most 32 KiB. */
export function called({ content, structuredContent, isError }: CallToolResult): Called {
  const [block] = content;
  assert.ok(content.length === 1 && block?.type === 'text', JSON.stringify(content));
  assert.deepEqual(JSON.parse(block.text), structuredContent);
  assert.ok(Buffer.byteLength(block.text) <= 32_768, `${Buffer.byteLength(block.text)} bytes`);
  return { content: structuredContent, isError: isError === true };
}

/** A host whose server is a process of its own, with its number. */
export async function connectHost(
  t: TestContext,
  cwd: string,
  settings: HostSettings = {},
): Promise<Host & Readonly<{ pid: number }>> {
  const { env = {}, args = [], program = COMMAND } = settings;
  const [command = '', ...first] = program;
  const words = [...first, 'mcp', ...args];
  const transport = new StdioClientTransport({ command, args: words, cwd, env: environment(env), stderr: 'pipe' });
  const host = await connected(t, cwd, transport, settings);
  const { pid } = transport;
  assert.ok(pid !== null);
  return Object.assign(host, { pid });
}

/** Connects a host to a server through any transport. */
export async function connected(
  t: TestContext,
  cwd: string,
  transport: Transport,
  { era = '2026-07-28', answer }: HostSettings,
): Promise<Host> {
  const capabilities: ClientCapabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (answer !== undefined) client.setRequestHandler('elicitation/create', async ({ params }) => answer(params));
  await client.connect(transport);
  t.after(() => client.close());
  assert.equal(client.getNegotiatedProtocolVersion(), era);
  return new Host(client, cwd);
}

/** The environment of a server, which records runs. */
export function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...process.env, CLI_NO_JOURNAL: undefined, ...env }))
    if (value !== undefined) all[name] = value;
  return all;
}
