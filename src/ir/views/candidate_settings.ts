import { frameCursor, type Setting } from '../environment.ts';
import type { Frame, Plan } from '../plan.ts';

/** A setting and the settings that it overrides. Inner frames share the lists of outer ones. */
type CandidateList = Readonly<{ setting: Setting; weaker: CandidateList | undefined }>;

/**
 * All settings of variables, including settings that stronger sources override. Frames are visited in the order of the
 * ops; the time is linear in the frames and in the requested settings.
 */
export class CandidateSettings {
  readonly #moveTo: (frame: number) => void;
  readonly #params: ReadonlyMap<string, Setting>;
  readonly #variable: string | undefined;
  /** The candidates of each variable in the current frame, without the parameters. */
  readonly #current = new Map<string, CandidateList>();
  /** The settings below the process environment in the current frame: of dotenv files, and defaults of inputs. */
  readonly #dotenv = new Map<string, CandidateList>();
  readonly #presets = new Map<string, CandidateList>();
  /** The candidates at the last call of `moveTo`, of the variables that were set since. */
  readonly #before = new Map<string, CandidateList | undefined>();
  /** Whether the settings below the process environment may have changed since the last call of `moveTo`. */
  #hasOtherPresets = false;

  /** `variable` limits the settings to those of one variable. */
  constructor(plan: Plan, variable: string | undefined) {
    const params = plan.params.map(([name, value]) => [name, { value, source: 'parameters' }] as const);
    this.#params = new Map(params.filter(([name]) => variable === undefined || name === variable));
    this.#variable = variable;
    this.#moveTo = frameCursor(
      plan,
      (frame) => this.#enter(frame),
      (frame) => this.#leave(frame),
    );
  }

  /** Moves to a frame. Returns whether any setting differs from the previous frame. */
  moveTo(frame: number): boolean {
    this.#moveTo(frame);
    const hasChanged = [...this.#before].some(([name, before]) => !isEqual(before, this.#current.get(name)));
    const hasOtherPresets = this.#hasOtherPresets;
    this.#before.clear();
    this.#hasOtherPresets = false;
    return hasChanged || hasOtherPresets;
  }

  /** The names of the variables that the file or the parameters set. */
  names(): string[] {
    const names = new Set([
      ...this.#current.keys(),
      ...this.#params.keys(),
      ...this.#dotenv.keys(),
      ...this.#presets.keys(),
    ]);
    return [...names];
  }

  /** The settings of a variable, the strongest first. */
  of(name: string): Setting[] {
    const param = this.#params.get(name);
    return [...(param === undefined ? [] : [param]), ...settingsIn(this.#current.get(name))];
  }

  /** The settings below the process environment: of dotenv files, then the defaults, innermost first. */
  weakerOf(name: string): Setting[] {
    return [...settingsIn(this.#dotenv.get(name)), ...settingsIn(this.#presets.get(name))];
  }

  #enter({ source, vars, inputs = [], dotenv = [] }: Frame): void {
    for (const { path, vars: own } of dotenv) {
      for (const [name, value] of own) this.#addWeaker(this.#dotenv, name, { value, source: path });
    }
    for (const { name, default: value } of inputs) {
      if (value !== null) this.#addWeaker(this.#presets, name, { value, source });
    }
    for (const [name, value] of vars) {
      if (this.#variable !== undefined && name !== this.#variable) continue;
      this.#set(name, { setting: { value, source }, weaker: this.#current.get(name) });
    }
  }

  #leave({ vars, inputs = [], dotenv = [] }: Frame): void {
    for (const { vars: own } of dotenv) for (const [name] of own) this.#removeWeaker(this.#dotenv, name);
    for (const { name, default: value } of inputs) if (value !== null) this.#removeWeaker(this.#presets, name);
    for (const [name] of vars) {
      const candidates = this.#current.get(name);
      if (candidates !== undefined) this.#set(name, candidates.weaker);
    }
  }

  #addWeaker(all: Map<string, CandidateList>, name: string, setting: Setting): void {
    if (this.#variable !== undefined && name !== this.#variable) return;
    all.set(name, { setting, weaker: all.get(name) });
    this.#hasOtherPresets = true;
  }

  #removeWeaker(all: Map<string, CandidateList>, name: string): void {
    const candidates = all.get(name);
    if (candidates === undefined) return;
    if (candidates.weaker === undefined) all.delete(name);
    else all.set(name, candidates.weaker);
    this.#hasOtherPresets = true;
  }

  #set(name: string, candidates: CandidateList | undefined): void {
    if (!this.#before.has(name)) this.#before.set(name, this.#current.get(name));
    if (candidates === undefined) this.#current.delete(name);
    else this.#current.set(name, candidates);
  }
}

function* settingsIn(candidates: CandidateList | undefined): Generator<Setting> {
  for (let each = candidates; each !== undefined; each = each.weaker) yield each.setting;
}

/** Compares two lists of one variable. Runs in time linear in their unshared part. */
function isEqual(one: CandidateList | undefined, other: CandidateList | undefined): boolean {
  let [left, right] = [one, other];
  while (left !== right) {
    // A source is a position in the file, so it has one value.
    if (left === undefined || left.setting.source !== right?.setting.source) return false;
    [left, right] = [left.weaker, right.weaker];
  }
  return true;
}
