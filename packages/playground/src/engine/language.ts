import { TextDocument } from 'vscode-languageserver-textdocument';
import { completion } from '../../../lsp/src/features/completion.ts';
import { hover } from '../../../lsp/src/features/hover.ts';
import { rootDiagnostics } from '../../../lsp/src/model/diagnostics.ts';
import type { At } from '../../../lsp/src/model/names.ts';
import { Workspace, type Root } from '../../../lsp/src/model/workspace.ts';

const URI = 'file:///.cli/workflow.json';

/** A word to insert in place of a range of offsets. */
export type Insertion = Readonly<{ label: string; detail: string; from: number; to: number; text: string }>;

/** A finding in a range of offsets. */
export type Mark = Readonly<{ from: number; to: number; severity: 'error' | 'warning'; code: string; message: string }>;

type Place = Readonly<{ line: number; character: number }>;

/** The model of the language server for one file, `.cli/workflow.json`, without any other files. */
export class Language {
  #document = TextDocument.create(URI, 'jsonc', 0, '');
  readonly #workspace = new Workspace(() => [this.#document]);

  constructor() {
    this.#workspace.folders = ['/'];
  }

  /** Replaces the text. */
  set text(text: string) {
    if (text === this.#document.getText()) return;
    this.#document = TextDocument.create(URI, 'jsonc', this.#document.version + 1, text);
    this.#workspace.change();
  }

  get root(): Root {
    const [root] = this.#workspace.roots;
    if (root === undefined) throw new Error('the workspace has no file');
    return root;
  }

  get marks(): readonly Mark[] {
    return rootDiagnostics(this.root, this.#workspace).map(({ diagnostic, detailed }) => {
      const { severity, code, message } = detailed.diagnostic;
      const { from, to } = this.#offsets(diagnostic.range);
      return { from, to, severity, code, message };
    });
  }

  insertionsAt(offset: number): readonly Insertion[] {
    const { items } = completion(this.#workspace, this.#at(offset));
    return items.flatMap(({ label, detail = '', textEdit }) => {
      if (textEdit === undefined || !('range' in textEdit)) return [];
      const { from, to } = this.#offsets(textEdit.range);
      return { label, detail, text: textEdit.newText, from, to };
    });
  }

  /** The help at an offset, as Markdown. */
  helpAt(offset: number): Readonly<{ from: number; to: number; markdown: string }> | null {
    const found = hover(this.#workspace, this.#at(offset));
    if (found?.range === undefined) return null;
    const { contents } = found;
    if (typeof contents !== 'object' || !('kind' in contents)) return null;
    return { ...this.#offsets(found.range), markdown: contents.value };
  }

  #at(offset: number): At {
    return { textDocument: { uri: URI }, position: this.#document.positionAt(offset) };
  }

  #offsets({ start, end }: Readonly<{ start: Place; end: Place }>): Readonly<{ from: number; to: number }> {
    return { from: this.#document.offsetAt(start), to: this.#document.offsetAt(end) };
  }
}
