import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { after, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { COMMAND, IS_STANDALONE, ROOT } from '../cli.ts';

const Message = v.looseObject({
  id: v.optional(v.number()),
  method: v.optional(v.string()),
  params: v.optional(v.unknown()),
  result: v.optional(v.unknown()),
  error: v.optional(v.object({ code: v.number(), message: v.string() })),
});

const Position = v.object({ line: v.number(), character: v.number() });
export const Range = v.object({ start: Position, end: Position });
export const Published = v.object({
  uri: v.string(),
  version: v.optional(v.number()),
  diagnostics: v.array(
    v.strictObject({
      range: Range,
      severity: v.number(),
      code: v.string(),
      source: v.literal('cli'),
      message: v.string(),
    }),
  ),
});

/** The answer to a request: its result or its error. */
type Answer = Readonly<{ result?: unknown; error?: Readonly<{ code: number; message: string }> | undefined }>;

/** An editor that speaks to a language server. */
export class Editor {
  /** All diagnostics that have been published, in order. */
  readonly published: v.InferOutput<typeof Published>[] = [];
  readonly #input: Writable;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #texts = new Map<string, Readonly<{ version: number; text: string }>>();
  #onPublished: (() => void)[] = [];
  #received = Buffer.alloc(0);
  #next = 0;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    output.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  async start(folder: string, options: object = {}): Promise<unknown> {
    const workspace = { workspaceEdit: { documentChanges: true } };
    const folders = [{ uri: pathToFileURL(folder).href, name: 'folder' }];
    const given = {
      processId: null,
      rootUri: null,
      capabilities: { workspace },
      workspaceFolders: folders,
      ...options,
    };
    const { result } = await this.request('initialize', given);
    this.notify('initialized', {});
    return result;
  }

  open(path: string, text: string, languageId = 'json'): string {
    const uri = pathToFileURL(path).href;
    this.#texts.set(uri, { version: 1, text });
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
    return uri;
  }

  /** Replaces a part of an open text, by offsets. */
  edit(uri: string, start: number, end: number, inserted: string): void {
    const { version, text } = this.#document(uri);
    const range = { start: this.positionAt(uri, start), end: this.positionAt(uri, end) };
    this.#texts.set(uri, { version: version + 1, text: text.slice(0, start) + inserted + text.slice(end) });
    const textDocument = { uri, version: version + 1 };
    this.notify('textDocument/didChange', { textDocument, contentChanges: [{ range, text: inserted }] });
  }

  text(uri: string): string {
    return this.#document(uri).text;
  }

  version(uri: string): number {
    return this.#document(uri).version;
  }

  positionAt(uri: string, offset: number): v.InferOutput<typeof Position> {
    const lines = this.text(uri)
      .slice(0, offset)
      .split(/\r\n|\r|\n/);
    return { line: lines.length - 1, character: (lines.at(-1) ?? '').length };
  }

  offsetAt(uri: string, { line, character }: v.InferOutput<typeof Position>): number {
    const starts = [0, ...[...this.text(uri).matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
    return (starts[line] ?? 0) + character;
  }

  /** A request about an offset of a document; its result. */
  async at(method: string, uri: string, offset: number, more: object = {}): Promise<unknown> {
    const { result, error } = await this.request(method, {
      textDocument: { uri },
      position: this.positionAt(uri, offset),
      ...more,
    });
    return error === undefined ? result : error;
  }

  request(method: string, params?: unknown): Promise<Answer> {
    const id = (this.#next += 1);
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  notify(method: string, params?: unknown): void {
    this.#send({ method, params });
  }

  /** The next diagnostics of a document that has its current version. */
  async diagnostics(uri: string): Promise<v.InferOutput<typeof Published>['diagnostics']> {
    for (;;) {
      const found = this.published.findLast((each) => each.uri === uri);
      if (found?.version === this.#document(uri).version) return found.diagnostics;
      await this.#publication();
    }
  }

  /** Waits until the newest diagnostics of a document have these messages. */
  async shows(uri: string, ...messages: readonly string[]): Promise<void> {
    for (;;) {
      const found = this.published.findLast((each) => each.uri === uri);
      if (found?.diagnostics.map(({ message }) => message).join('\n') === messages.join('\n')) return;
      await this.#publication();
    }
  }

  #publication(): Promise<void> {
    return new Promise((resolve) => this.#onPublished.push(resolve));
  }

  #document(uri: string): Readonly<{ version: number; text: string }> {
    const document = this.#texts.get(uri);
    if (document === undefined) throw new Error(`${uri} is not open`);
    return document;
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#input.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      const head = /^Content-Length: (\d+)$/.exec(this.#received.toString('latin1', 0, Math.max(0, end)));
      if (end === -1) return;
      if (head === null) throw new Error('the output is no frame');
      const length = Number(head[1]);
      if (this.#received.length < end + 4 + length) return;
      const text = this.#received.toString('utf8', end + 4, end + 4 + length);
      this.#received = this.#received.subarray(end + 4 + length);
      this.#handle(v.parse(Message, JSON.parse(text)));
    }
  }

  #handle({ id, method, params, result, error }: v.InferOutput<typeof Message>): void {
    if (method === 'textDocument/publishDiagnostics') {
      this.published.push(v.parse(Published, params));
      for (const resolve of this.#onPublished.splice(0)) resolve();
    } else if (id !== undefined && method === undefined) {
      this.#waiting.get(id)?.({ result, error });
      this.#waiting.delete(id);
    }
  }
}

const Server = v.object({ serve: v.function() });

/**
 * An editor with the bundled server in this process, which is a hundred times cheaper than a process, or with the server
 * of the standalone executable.
 */
export function newEditor(): Editor {
  if (IS_STANDALONE) {
    const child = spawn(COMMAND[0], ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    after(() => child.kill('SIGKILL'));
    return new Editor(child.stdin, child.stdout);
  }
  const { serve } = v.parse(Server, createRequire(import.meta.url)(join(ROOT, 'dist/lsp.cjs')));
  const [input, output] = [new PassThrough(), new PassThrough()];
  serve({ input, output, version: 'tests', exit: () => undefined });
  return new Editor(input, output);
}

/** `ended` is the exit code or the signal of the server, with its error output if there is any. */
type EditorProcess = Readonly<{ editor: Editor; child: ChildProcessWithoutNullStreams; ended: Promise<string> }>;

/** An editor with `cli lsp` as a process, and how it ends. */
export function editorWithProcess(t: TestContext, ...args: readonly string[]): EditorProcess {
  const [program, ...first] = COMMAND;
  const child = spawn(program, [...first, 'lsp', ...args], { stdio: 'pipe' });
  t.after(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(`${code ?? signal}${stderr === '' ? '' : `: ${stderr}`}`));
  });
  return { editor: new Editor(child.stdin, child.stdout), child, ended };
}
