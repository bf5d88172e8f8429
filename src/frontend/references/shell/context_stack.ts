import type { FoundReference } from './found_reference.ts';
import { findBody, type HereDocument } from './here_document.ts';
import { parseReference } from '../reference_syntax.ts';
import type { ReferenceProblem } from './reference_problems.ts';
import { holdsWords, isList, isQuoted, quotesOf, type Kind } from './contexts.ts';
import { CommandState } from './command_state.ts';

/** A place that is open. */
interface Frame {
  readonly kind: Kind;
  readonly start: number;
  /** Those around it, or its own. */
  readonly words: CommandState;
  /** Whether double quotes or the like are around it in the same command. */
  readonly quoted: boolean;
  /** Why a reference cannot stand here. */
  refusal: ReferenceProblem | undefined;
  /** How many brackets are open. */
  depth: number;
}

/** A command that is nested deeper than this is not looked into. */
const DEPTH_LIMIT = 1000;

/** Where a scanner is in a command: an offset, the places that are open, the here-documents to come. */
export class Reader {
  readonly found: FoundReference[] = [];
  protected readonly text: string;
  protected at = 0;
  /** Whether it is no longer certain how a shell reads the text. */
  protected lost = false;
  protected frame: Frame;
  readonly #outer: Frame[] = [];
  /** The here-documents whose bodies begin here, the last one first; and where the body ends that is read. */
  #bodies: HereDocument[] = [];
  protected body: { readonly end: number; readonly after: number } | undefined;
  /** How many here-documents wait for a line break, in all the commands that are open. */
  protected waiting = 0;

  constructor(text: string) {
    this.text = text;
    const words = new CommandState(text, [], false);
    this.frame = { kind: 'commands', start: 0, words, quoted: false, refusal: undefined, depth: 0 };
  }

  protected get nested(): boolean {
    return this.#outer.length > 0;
  }

  /** The command has ended, or is not understood. What is still open was perhaps never opened. */
  protected finish(): void {
    const open = (this.#outer[1] ?? this.frame).start;
    if (this.nested) for (const each of this.found) if (each.start >= open) each.problem ??= 'unclear';
    if (this.lost) this.#refuseTo(this.text.length, 'unclear');
  }

  protected lose(): void {
    this.lost = true;
  }

  protected matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.text);
  }

  /** Goes over what a pattern describes, if it is there. */
  protected skip(pattern: RegExp): boolean {
    if (!this.matches(pattern)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  /** Why a reference cannot stand here, if it cannot. */
  protected refusal(): ReferenceProblem | undefined {
    const { kind, refusal, words } = this.frame;
    return refusal ?? (isList(kind) ? words.refusal(this.at) : undefined);
  }

  /** Opens a place, after a sign of some length. */
  protected push(kind: Kind, length: number, refusal = this.refusal(), depth = 1): void {
    const { words: around, quoted } = this.frame;
    if (this.#outer.push(this.frame) > DEPTH_LIMIT) this.lose();
    const pending = kind === 'substitution' ? [] : around.pending;
    const words = holdsWords(kind) ? new CommandState(this.text, pending, around.runsOutput(this.at)) : around;
    this.frame = {
      kind,
      start: this.at,
      words,
      quoted: !holdsWords(kind) && (quoted || isQuoted(kind)),
      refusal: isList(kind) || kind === 'test' ? undefined : refusal,
      depth,
    };
    this.at += length;
  }

  /** Closes a place, with a sign of some length. */
  protected pop(length: number): void {
    this.frame = this.#outer.pop() ?? this.frame;
    this.at += length;
  }

  /** The line ends after which the bodies of here-documents begin. */
  protected startBodies(pending: HereDocument[]): void {
    this.#bodies = pending.splice(0).toReversed();
    this.#nextBody();
  }

  protected endBody(): void {
    const { body } = this;
    if (this.frame.kind !== 'here-document' || this.at !== body?.end) return this.lose();
    this.pop(0);
    this.at = body.after;
    this.body = undefined;
    return this.#nextBody();
  }

  #nextBody(): void {
    for (let document = this.#bodies.pop(); document !== undefined; document = this.#bodies.pop()) {
      this.waiting -= 1;
      const body = findBody(this.text, this.at, document);
      if (body === undefined) return this.lose();
      if (!document.quoted) {
        this.body = body;
        return this.push('here-document', 0, document.refusal);
      }
      this.#refuseTo(body.end, 'quoted here-document');
      this.at = body.after;
    }
  }

  /** Refuses all that looks like a reference from here up to an offset. */
  #refuseTo(end: number, problem: ReferenceProblem): void {
    const text = this.text.slice(0, end);
    const quotes = quotesOf('commands');
    for (let start = text.indexOf('${steps.', this.at); start !== -1;) {
      const reference = parseReference(text, start);
      if (reference?.kind === 'reference') this.found.push({ ...reference, start, quotes, problem });
      start = text.indexOf('${steps.', reference?.end ?? start + 1);
    }
  }
}
