import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Language, Mark } from '../engine/language.ts';

/** The colours of the editor are those of the page. */
const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--paper)', fontSize: '13.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '10px 0' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: '0 6px 24px #0003',
    maxWidth: 'min(36rem, 90vw)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-help': { padding: '8px 12px', fontSize: '13px', overflow: 'auto', maxHeight: '20rem' },
  '.cm-help pre': { margin: '6px 0', fontFamily: 'var(--mono)', whiteSpace: 'pre-wrap' },
  '.cm-help p': { margin: '4px 0' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-lint-marker': { width: '0.8em', height: '0.8em', content: 'none', borderRadius: '50%', marginTop: '0.35em' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--warn)' },
  '.cm-gutter-lint': { width: '1.1em' },
  '.cm-diagnostic': { fontFamily: 'inherit', padding: '6px 10px' },
});

const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--key)' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--literal)' },
  { tag: tags.comment, color: 'var(--faint)' },
]);

/** An editor in a shadow tree, in which CodeMirror needs no inline styles, which the page's policy forbids. */
export class Editor {
  readonly #view: EditorView;
  readonly #language: Language;

  constructor(host: HTMLElement, language: Language, text: string, onChange: (text: string) => void) {
    this.#language = language;
    const root = host.attachShadow({ mode: 'open' });
    const onUpdate = EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    });
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({ doc: text, extensions: [extensionsFor(language), onUpdate] }),
    });
    // Long lines are scrolled with the keyboard, too.
    this.#view.scrollDOM.tabIndex = 0;
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Replaces the whole text, which can be undone. */
  replace(text: string): void {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  /** Shows the findings of the text. */
  mark(): void {
    const { length } = this.#view.state.doc;
    const marks = this.#language.marks.map(({ from, to, severity, message }: Mark) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      severity,
      message,
    }));
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  /** Moves the cursor to a place, counted from 1. */
  goTo(line: number, column: number): void {
    const { doc } = this.#view.state;
    const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const anchor = Math.min(found.from + column - 1, found.to);
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.#view.focus();
  }
}

function extensionsFor(language: Language): Extension {
  const complete: CompletionSource = ({ pos, state, explicit, view }) => {
    if (!explicit && view?.composing === true) return null;
    language.text = state.doc.toString();
    const found = language.insertionsAt(pos);
    const [first] = found;
    if (first === undefined) return null;
    const options = found.map(({ label, detail, from, to, text }, index) => ({
      label,
      detail,
      boost: -Math.min(index, 99),
      apply: (target: EditorView): void =>
        target.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } }),
    }));
    return { from: Math.min(first.from, pos), options };
  };
  const help = hoverTooltip((view, pos) => {
    language.text = view.state.doc.toString();
    const found = language.helpAt(pos);
    if (found === null) return null;
    return { pos: found.from, end: found.to, create: () => ({ dom: helpElement(found.markdown) }) };
  });
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    json(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    indentUnit.of('  '),
    syntaxHighlighting(HIGHLIGHTS),
    autocompletion({ override: [complete] }),
    help,
    THEME,
    EditorView.contentAttributes.of({ 'aria-label': 'Workflow file', 'aria-multiline': 'true' }),
    keymap.of([
      { key: 'Tab', run: acceptCompletion },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...completionKeymap,
      indentWithTab,
    ]),
  ];
}

/** The Markdown that the language server writes, as elements: paragraphs, code blocks, bold text and escapes. */
function helpElement(markdown: string): HTMLElement {
  const help = document.createElement('div');
  help.className = 'cm-help';
  for (const part of markdown.split(/^(`{3,}\w*\n[^]*?\n`{3,})$/m)) {
    const code = /^`{3,}\w*\n([^]*)\n`{3,}$/.exec(part)?.[1];
    if (code !== undefined) help.append(elementOf('pre', code));
    else for (const paragraph of part.split(/\n{2,}/)) if (paragraph.trim() !== '') help.append(paragraphOf(paragraph));
  }
  return help;
}

function paragraphOf(text: string): HTMLElement {
  const paragraph = document.createElement('p');
  for (const [, bold, code, other = ''] of text
    .trim()
    .matchAll(/\*\*((?:\\.|[^*\\])+)\*\*|`([^`]+)`|((?:\\.|[^])(?:\\.|[^*`\\])*)/g)) {
    if (bold !== undefined) paragraph.append(elementOf('strong', unescape(bold)));
    else if (code !== undefined) paragraph.append(elementOf('code', code));
    else paragraph.append(unescape(other));
  }
  return paragraph;
}

function unescape(text: string): string {
  return text.replaceAll(/\\([\\`*_[\]<>])/g, '$1');
}

function elementOf(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
