import { outputVariables, rewriteReferences } from '../ir/output_variables.ts';
import { at, type Frame, type OutputRead, type Plan, type ScopedVariable } from '../ir/plan.ts';
import type { OutputNames } from './output_names.ts';
import { expand, quote } from './words.ts';

/** A command for the script: its text, and the variables for its references. */
export type CommandWords = Readonly<{ command: string; variables: readonly string[] }>;

/** Variables, values and references of a plan as words of bash. */
export class ScopeWords {
  readonly #plan: Plan;
  readonly #outputs: OutputNames;

  constructor(plan: Plan, outputs: OutputNames) {
    this.#plan = plan;
    this.#outputs = outputs;
  }

  /** The frames inside `outer`, down to `frame`. */
  between(outer: number | null, frame: number): readonly Frame[] {
    const frames: Frame[] = [];
    for (let index: number | null = frame; index !== null && index !== outer;) {
      const found: Frame = at(this.#plan.frames, index);
      frames.push(found);
      index = found.parent;
    }
    return frames.toReversed();
  }

  /** `NAME=value` for each variable of frames. */
  variables(frames: readonly Frame[]): readonly string[] {
    return frames.flatMap(({ vars }) => vars.map((variable) => this.#variable(variable)));
  }

  #variable([name, text, reads = []]: ScopedVariable): string {
    if (reads.length === 0) return quote(`${name}=${text}`);
    let after = 0;
    const pieces = reads.flatMap((read) => {
      const before = text.slice(after, read.start);
      after = read.end;
      return [before === '' ? '' : quote(before), this.value(read)];
    });
    const rest = text.slice(after);
    return [`${name}=`, ...pieces, rest === '' ? '' : quote(rest)].join('');
  }

  /** The value of a reference. */
  value(read: OutputRead): string {
    return expand(this.#outputs.ofRead(read), read.fallback ?? '');
  }

  /** A command whose references are variables. */
  command(text: string, reads: readonly OutputRead[]): CommandWords {
    if (reads.length === 0) return { command: quote(text), variables: [] };
    const { all, nameOf } = outputVariables(reads);
    const variables = all.map(({ name, read }) => `${name}=${this.value(read)}`);
    return { command: quote(rewriteReferences(text, reads, nameOf)), variables };
  }

  /** Lines that keep a step from starting if a reference of a text has no value. */
  needs(text: string, reads: readonly OutputRead[], variable = ''): readonly string[] {
    return reads.flatMap((read) => {
      if (read.fallback !== null) return [];
      const words = ['wf_need', this.#outputs.ofRead(read), quote(text.slice(read.start, read.end)), variable];
      return words.filter((word) => word !== '').join(' ');
    });
  }

  /** The same for the values of variables, all or only some. A parameter replaces a value. */
  needsOf(frames: readonly Frame[], names?: ReadonlySet<string>): readonly string[] {
    return frames.flatMap(({ vars }) =>
      vars.flatMap(([name, text, reads = []]) => {
        return names?.has(name) === false ? [] : this.needs(text, reads, name);
      }),
    );
  }
}
