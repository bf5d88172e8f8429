import { scopesOf } from '../ir/environment.ts';
import { at, framesFrom, type Plan, type ScopedVariable, type VariableLookup } from '../ir/plan.ts';
import { declarations } from './input_lines.ts';
import { identifier, NameTable, quote } from './bash_words.ts';

/** A script variable for a looked-up value, and the lines that set it. */
type Lookup = Readonly<{ variable: string; lines: readonly string[] }>;

/** Writes words of the script: `NAME=value` for a variable, and the entries of the dotenv files of frames. */
type FrameWords = Readonly<{
  variable: (variable: ScopedVariable, frame: number) => string;
  dotenv: (frames: readonly number[]) => readonly string[];
}>;

/** The variable whose value contains the reference, and which a parameter can override; '' for another text. */
type ReferenceOwner = string;

/** The variables that values refer to. They are looked up once, before the first command runs. */
export class LookupTable {
  readonly #plan: Plan;
  readonly #words: FrameWords;
  readonly #inputsOf: (frame: number) => ReturnType<ReturnType<typeof scopesOf>>['inputs'];
  readonly #names = new NameTable();
  /** Keyed by the lines without the variable, so that copies of a step share a variable. */
  readonly #lookups = new Map<string, Lookup>();

  constructor(plan: Plan, words: FrameWords) {
    this.#plan = plan;
    this.#words = words;
    const scopeOf = scopesOf(plan);
    this.#inputsOf = (frame) => scopeOf(frame).inputs;
  }

  /** The lines of all lookups so far, in the order of their dependencies. */
  get lines(): readonly string[] {
    return [...this.#lookups.values()].flatMap(({ lines }) => lines);
  }

  /** Adds the variables that the values of all frames and the directories of all ops refer to. */
  addAll(): void {
    for (const [index, { vars }] of this.#plan.frames.entries()) {
      for (const variable of vars) if (variable[3] !== undefined) this.#words.variable(variable, index);
    }
  }

  /** The script variable for a reference in a value. */
  ofValue(lookup: VariableLookup, owner: ReferenceOwner, frame: number): string {
    const { lookup: elsewhere, parent } = at(this.#plan.frames, frame);
    return this.#add(lookup, owner, elsewhere ?? parent);
  }

  /** The script variable for a reference in a directory, or in an argument of a program, as seen from a frame. */
  ofText(lookup: VariableLookup, frame: number): string {
    return this.#add(lookup, '', frame);
  }

  #add({ name, fallback }: VariableLookup, owner: ReferenceOwner, frame: number | null): string {
    const isOpen = this.isOpen(frame, name);
    const words = [
      `wf_resolve ${name}`,
      ...(owner === '' ? [] : [`for=${owner}`]),
      ...(isOpen ? ['open'] : []),
      ...(fallback === null ? [] : [quote(`otherwise=${fallback}`)]),
    ];
    const lines = [...this.scopeLines(frame, name, isOpen), words.join(' ')];
    const key = lines.join('\n');
    const known = this.#lookups.get(key);
    if (known !== undefined) return known.variable;
    const variable = this.#names.add(`wf_var_${identifier(name)}`);
    this.#lookups.set(key, { variable, lines: [...lines, `${variable}=$wf_value`] });
    return variable;
  }

  /** Lines that put one variable in scope, as seen from a frame. The value of an output is not known yet. */
  scopeLines(frame: number | null, name: string, isOpen = this.isOpen(frame, name)): readonly string[] {
    const setting = frame === null ? undefined : this.#settingOf(frame, name);
    const value = setting === undefined || isOpen ? '' : this.#words.variable(...setting);
    const declared = frame === null ? undefined : this.#inputsOf(frame).get(name);
    const input = declared === undefined ? [] : [{ ...declared.input, default: declared.preset?.value ?? null }];
    const inputs = input.length === 0 ? [] : declarations(input);
    const outside = frame === null ? [] : Array.from(framesFrom(this.#plan, frame), ([index]) => index).toReversed();
    const entries = this.#words.dotenv(outside);
    const dotenv = entries.length === 0 ? [] : [`wf_dotenv=(${entries.join(' ')})`];
    return [
      `wf_scope=(${value}) wf_inputs=() wf_defaults=() wf_dotenv=()`,
      ...dotenv,
      ...inputs.map((line) => line.replace('local -a ', '')),
    ];
  }

  /** Whether the value of a variable in a frame contains an output. */
  isOpen(frame: number | null, name: string): boolean {
    return frame !== null && (this.#settingOf(frame, name)?.[0][2] ?? []).length > 0;
  }

  /** A variable as seen from a frame, and the frame that sets it. */
  #settingOf(frame: number, name: string): readonly [ScopedVariable, number] | undefined {
    for (const [index, { vars }] of framesFrom(this.#plan, frame)) {
      const found = vars.findLast(([each]) => each === name);
      if (found !== undefined) return [found, index];
    }
    return undefined;
  }
}
