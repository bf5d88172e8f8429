import { outputVariables, rewriteReferences } from '../ir/output_variables.ts';
import { dotenvFiles } from '../ir/link.ts';
import { at, framesFrom, type Directory, type Frame, type OutputRead, type Plan, type RunOp } from '../ir/plan.ts';
import type { ScopedVariable, VariableLookup } from '../ir/plan.ts';
import { MASK, secretNames, secretOutputs } from '../ir/secret_names.ts';
import { LookupTable } from './lookup_table.ts';
import type { OutputNames } from './output_names.ts';
import { expand, quote } from './bash_words.ts';

/** A command for the script: its text, and the variables for its references. */
export type CommandWords = Readonly<{ command: string; variables: readonly string[] }>;

/** A word that replaces a reference in a text. */
type SplicedWord = Readonly<{ start: number; end: number; word: string }>;

/** Variables, values and references of a plan as bash words. */
export class ScopeWords {
  readonly #plan: Plan;
  readonly #outputs: OutputNames;
  readonly lookups: LookupTable;

  constructor(plan: Plan, outputs: OutputNames) {
    this.#plan = plan;
    this.#outputs = outputs;
    this.lookups = new LookupTable(plan, {
      variable: (variable, frame) => this.#variable(variable, frame),
      dotenv: (frames) => this.dotenv(frames),
    });
  }

  /** The indexes of the frames between `outer` (exclusive) and `frame` (inclusive). */
  between(outer: number | null, frame: number): readonly number[] {
    return Array.from(framesFrom(this.#plan, frame, outer), ([index]) => index).toReversed();
  }

  frame(index: number): Frame {
    const frame = at(this.#plan.frames, index);
    // The script handles all of these fields. A new field does not compile until the script handles it.
    const { source: _s, parent: _p, vars: _v, inputs: _i, dotenv: _d, matrix: _m, lookup: _l, ...others } = frame;
    others satisfies Record<string, never>;
    return frame;
  }

  /** `NAME=value` for each variable of frames. */
  variables(frames: readonly number[]): readonly string[] {
    return frames.flatMap((index) => this.frame(index).vars.map((variable) => this.#variable(variable, index)));
  }

  /** The entries of the dotenv files of frames, one array per file. */
  dotenv(frames: readonly number[]): readonly string[] {
    const files = dotenvFiles(this.#plan, {});
    return frames.flatMap((index) =>
      (this.frame(index).dotenv ?? []).map(({ path }) => `"\${wf_dotenv_${files.indexOf(path) + 1}[@]}"`),
    );
  }

  #variable([name, text, reads = [], lookups = []]: ScopedVariable, frame: number): string {
    return this.#spliced(`${name}=`, text, [
      ...reads.map((read): SplicedWord => ({ start: read.start, end: read.end, word: this.value(read) })),
      ...lookups.map((lookup) => lookupWord(lookup, this.lookups.ofValue(lookup, name, frame))),
    ]);
  }

  /** The word for the directory of an op; empty for the script's own directory. */
  directory({ dir, dirLookup }: Directory): readonly string[] {
    if (dir === null) return [];
    if (dirLookup === undefined) return [quote(`dir=${dir}`)];
    return [this.text('dir=', dir, dirLookup.lookups, dirLookup.frame)];
  }

  /** A word that begins with `name`, followed by a text with references to variables, as seen from a frame. */
  text(name: string, text: string, lookups: readonly VariableLookup[], frame: number): string {
    const words = lookups.map((lookup) => lookupWord(lookup, this.lookups.ofText(lookup, frame)));
    return this.#spliced(name, text, words);
  }

  /**
   * A word that begins with `name`, followed by the question of a step. Secrets are masked, and references to outputs of
   * steps from the op `pending` on stay as written.
   */
  question(
    name: string,
    { options, question, frame }: RunOp,
    shown: (text: string) => string,
    pending: number,
  ): string {
    if (question === undefined) return quote(`${name}${shown(options.confirm ?? '')}`);
    const { text, reads, lookups } = question;
    const isSecret = secretNames(this.#plan);
    const isSecretOutput = secretOutputs(this.#plan);
    const words = [
      ...lookups.map((lookup): SplicedWord => {
        const word = lookupWord(lookup, this.lookups.ofText(lookup, frame));
        return isSecret(lookup.name) ? Object.assign(word, { word: quote(MASK) }) : word;
      }),
      ...reads.flatMap((read): SplicedWord[] => {
        const { start, end, from, output } = read;
        if (from !== null && from >= pending) return [];
        const isHidden = from !== null && isSecretOutput(at(this.#plan.ops, from), output);
        return [{ start, end, word: isHidden ? quote(MASK) : this.value(read) }];
      }),
    ];
    return this.#spliced(name, text, words, shown);
  }

  /** A word that begins with `name`, followed by a text whose references are replaced. */
  #spliced(name: string, text: string, parts: readonly SplicedWord[], shown = (part: string): string => part): string {
    if (parts.length === 0) return quote(`${name}${shown(text)}`);
    let after = 0;
    const pieces = parts
      .toSorted((one, other) => one.start - other.start)
      .flatMap(({ start, end, word }) => {
        const before = text.slice(after, start);
        after = end;
        return [quoteRest(shown(before)), word];
      });
    return [quoteRest(name), ...pieces, quoteRest(shown(text.slice(after)))].join('');
  }

  /** The value of a reference. */
  value(read: OutputRead): string {
    return expand(this.#outputs.ofRead(read), read.fallback ?? '');
  }

  /** A command with variables in place of its references. */
  command(text: string, reads: readonly OutputRead[]): CommandWords {
    if (reads.length === 0) return { command: quote(text), variables: [] };
    const { all, nameOf } = outputVariables(reads);
    const variables = all.map(({ name, read }) => `${name}=${this.value(read)}`);
    return { command: quote(rewriteReferences(text, reads, nameOf)), variables };
  }

  /** Lines that prevent a step from starting if a reference of a text has no value. */
  needs(text: string, reads: readonly OutputRead[], variable = ''): readonly string[] {
    return reads.flatMap((read) => {
      if (read.fallback !== null) return [];
      const words = ['wf_require', this.#outputs.ofRead(read), quote(text.slice(read.start, read.end)), variable];
      return words.filter((word) => word !== '').join(' ');
    });
  }

  /** Like `needs`, for the values of variables, optionally only some of them. A parameter overrides a value. */
  needsOf(frames: readonly number[], names?: ReadonlySet<string>): readonly string[] {
    return frames.flatMap((index) =>
      this.frame(index).vars.flatMap(([name, text, reads = []]) => {
        return names?.has(name) === false ? [] : this.needs(text, reads, name);
      }),
    );
  }
}

/** The word for a reference to a variable, whose value is in a variable of the script. */
function lookupWord({ start, end }: VariableLookup, variable: string): SplicedWord {
  return { start, end, word: `"$${variable}"` };
}

/** Quotes the rest of a word. */
function quoteRest(rest: string): string {
  return rest === '' ? '' : quote(rest);
}
