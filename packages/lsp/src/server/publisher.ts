import type { Diagnostic, PublishDiagnosticsParams } from 'vscode-languageserver';
import { diagnosticsByUri } from '../model/diagnostics.ts';
import type { Workspace } from '../model/workspace.ts';

/** Changes within this time share one check, in milliseconds. */
export const WAIT = 200;

type Send = (params: PublishDiagnosticsParams) => void;

/** Publishes diagnostics: of an open document after each change, of others when they change. */
export class Publisher {
  readonly #workspace: Workspace;
  readonly #send: Send;
  #timer: NodeJS.Timeout | undefined;
  /** The published state: the version, and the diagnostics as text. */
  readonly #published = new Map<string, Readonly<{ version: number | undefined; text: string }>>();

  constructor(workspace: Workspace, send: Send) {
    this.#workspace = workspace;
    this.#send = send;
  }

  /** Publishes after a delay, or together with what is already due. */
  schedule(delay: number): void {
    if (delay === 0) clearTimeout(this.#timer);
    if (delay === 0 || this.#timer === undefined) this.#timer = setTimeout(() => this.publish(), delay);
  }

  /** Publishes the diagnostics of all documents that need it. */
  publish(): void {
    this.end();
    const all = diagnosticsByUri(this.#workspace);
    for (const [uri, diagnostics] of all) this.#put(uri, diagnostics);
    for (const uri of this.#published.keys()) if (!all.has(uri)) this.#put(uri, []);
  }

  /** Publishes nothing more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #put(uri: string, diagnostics: readonly Diagnostic[]): void {
    const version = this.#workspace.openFile(uri)?.document.version;
    const text = JSON.stringify(diagnostics);
    const before = this.#published.get(uri);
    if (before?.text === text && before.version === version) return;
    if (before === undefined && diagnostics.length === 0 && version === undefined) return;
    if (diagnostics.length === 0 && version === undefined) this.#published.delete(uri);
    else this.#published.set(uri, { version, text });
    this.#send({ uri, diagnostics: [...diagnostics], ...(version !== undefined && { version }) });
  }
}
