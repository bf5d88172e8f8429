import { PATTERN_LIMIT } from '../base/pattern_limit.ts';
import { CALLER_DIRECTORY, CALLER_REFERENCE } from '../base/caller_reference.ts';
import { outermostScope, scopesOf, settingIn, valueIn, type Inherited, type Scope } from './environment.ts';
import { isOpenCheck, isOpenFrame, needsLinking } from './needs_linking.ts';
import type { LookupFailure } from '../frontend/diagnostics/diagnostic.ts';
import { splice } from './output_variables.ts';
import { TEXT_LIMIT } from './plan_size.ts';
import { at, type Call, type Directory, type Frame, type Op, type OutputRead, type Plan } from './plan.ts';
import { MASK, secretNames, type Secrecy } from './secret_names.ts';
import type {
  LookupText,
  PathPattern,
  PlanSecret,
  Question,
  RunOp,
  ScopedVariable,
  SecretProgram,
  StaleTest,
  Variable,
  VariableLookup,
} from './plan.ts';

/**
 * A reference to a variable without a value: the variable is not set (`unset`), or only beside the reference (`own
 * scope`), its value comes from an output (`output`), it makes a variable (`too long`) or a pattern (`long pattern`) too
 * long for the system, or all values together too large (`too much text`), or the path of a directory or the name of a
 * lock empty (`empty directory`, `empty lock`),
 * or the variable is secret and the name of a lock is shown (`secret lock`); `empty path` and `secret path` are the same
 * for a dotenv file. `known` contains the variables that are set.
 */
export type LookupProblem = Readonly<{ lookup: VariableLookup; problem: LookupFailure; known: Iterable<string> }>;

/** The surroundings of a linked plan: the process environment, and the variables of dotenv files by their path. */
export type LinkEnvironment = Readonly<{ inherited: Inherited; dotenv: ReadonlyMap<string, readonly Variable[]> }>;

/** A plan that is linked to its surroundings, and the references without a value. */
export type Linked = Readonly<{ plan: Plan; problems: readonly LookupProblem[] }>;

/**
 * Adds the variables of dotenv files to a plan, and replaces references to variables by their values, outer scopes
 * first. Returns the same plan if it has neither. A reference without a value stays as written, as does one to the
 * directory in which the tool was started.
 */
export function link(plan: Plan, surroundings: LinkEnvironment): Linked {
  return needsLinking(plan) ? new Linker(plan, surroundings).link() : { plan, problems: [] };
}

/** The paths of all dotenv files of a plan in a process environment, each once. */
export function dotenvFiles(plan: Plan, inherited: Inherited): readonly string[] {
  return [...new Set(dotenvPaths(plan, inherited).flat())];
}

/** The paths of the dotenv files of each frame. A reference without a value stays as written. */
export function dotenvPaths(plan: Plan, inherited: Inherited): readonly (readonly string[])[] {
  return new Linker(plan, { inherited, dotenv: new Map() }).dotenvPaths();
}

class Linker {
  readonly #plan: Plan;
  readonly #surroundings: LinkEnvironment;
  readonly #frames: Frame[] = [];
  readonly #scopeOf: (frame: number) => Scope;
  readonly #params: ReadonlySet<string>;
  /** Keyed by position and name: a workflow that is called twice has the same problem twice. */
  readonly #problems = new Map<string, LookupProblem>();
  /** The secrets whose arguments are linked, by name, source and arguments; and the index of each, by the list of an op. */
  readonly #secrets = new Map<string, Readonly<{ index: number; secret: PlanSecret }>>();
  readonly #lists = new Map<string, readonly number[]>();
  #isSecret: Secrecy | undefined;
  #inputsAt: ((frame: number) => Scope) | undefined;
  /** The length of all linked values. */
  #text = 0;

  constructor(plan: Plan, surroundings: LinkEnvironment) {
    this.#plan = plan;
    const inherited = { ...surroundings.inherited, [CALLER_DIRECTORY]: CALLER_REFERENCE };
    this.#surroundings = { ...surroundings, inherited };
    this.#params = new Set(plan.params.map(([name]) => name));
    // A frame is looked up in earlier frames of the table, which are already linked.
    this.#scopeOf = scopesOf({ ...plan, frames: this.#frames });
  }

  dotenvPaths(): readonly (readonly string[])[] {
    return this.#plan.frames.map((frame) => this.#pathsOf(frame));
  }

  link(): Linked {
    for (const frame of this.#plan.frames) {
      this.#frames.push(isOpenFrame(frame) ? this.#frame(frame) : frame);
    }
    // Most ops have the same directory as the previous one.
    let last: Readonly<{ from: Directory['dirLookup']; dir: string | null }> = { from: undefined, dir: null };
    const ops = this.#plan.ops.map((given): Op => {
      const op = isOpenCheck(given) ? { ...given, test: this.#check(given.test, given.frame) } : given;
      if (op.kind === 'parallel' || op.kind === 'stop') return op;
      const listed = op.kind === 'condition' ? undefined : this.#listOf(op.secrets, op.frame);
      const asked = op.kind === 'run' && op.question !== undefined ? this.#withQuestion(op, op.question) : op;
      const { dirLookup: from, ...rest } = listed === undefined ? asked : { ...asked, secrets: listed };
      if (from === undefined) return rest;
      if (from !== last.from) last = { from, dir: this.#directory(op.dir ?? '', from) };
      return { ...rest, dir: last.dir };
    });
    const calls = this.#plan.calls.map((call): Call =>
      call.lock ? { ...call, lock: this.#lock(call.lock, call.frame) } : call,
    );
    const plan = { ...this.#plan, frames: this.#frames, calls, ops, ...this.#linkedSecrets() };
    return { plan, problems: [...this.#problems.values()] };
  }

  /** The secrets that an op lists, with their arguments linked in its frame. */
  #listOf(secrets: readonly number[] | undefined, frame: number): readonly number[] | undefined {
    if (secrets === undefined) return undefined;
    const list = secrets.map((index) => this.#indexOf(at(this.#plan.secrets ?? [], index), index, frame));
    const shared = this.#lists.get(list.join()) ?? list;
    this.#lists.set(list.join(), shared);
    return shared;
  }

  #indexOf({ name, source }: PlanSecret, from: number, frame: number): number {
    const linked = source && this.#program(source, frame);
    const key = JSON.stringify([from, linked?.command]);
    const { index } = this.#secrets.get(key) ?? { index: this.#secrets.size };
    this.#secrets.set(key, { index, secret: { name, source: linked } });
    return index;
  }

  #program(source: SecretProgram, frame: number): SecretProgram {
    const { lookups: all } = source;
    if (all === undefined) return source;
    const scope = this.#scopeOf(frame);
    const command = source.command.map((text, argument) => {
      const lookups = all.filter((lookup) => lookup.argument === argument);
      return lookups.length === 0 ? text : this.#linked(text, lookups, scope);
    });
    return { ...source, command };
  }

  /** The secrets that ops list, and then the names of the others. */
  #linkedSecrets(): Pick<Plan, 'secrets'> {
    const { secrets } = this.#plan;
    if (secrets === undefined) return {};
    const linked = [...this.#secrets.values()].map(({ secret }) => secret);
    return { secrets: [...linked, ...secrets.filter(({ source }) => source === null)] };
  }

  #frame(frame: Frame): Frame {
    const index = frame.lookup ?? frame.parent;
    const scope = index === null ? outermostScope(this.#plan) : this.#scopeOf(index);
    const beside = new Set(frame.vars.map(([name]) => name));
    const vars = frame.vars.map((variable): ScopedVariable => {
      const [name, value, reads = [], lookups] = variable;
      // A value that a parameter overrides needs no references.
      if (lookups === undefined || this.#params.has(name)) return variable;
      const own = (lookup: VariableLookup): boolean => lookup.name !== name && beside.has(lookup.name);
      const texts = lookups.map(
        (lookup) => this.#valueOf(lookup, scope, own(lookup)) ?? value.slice(lookup.start, lookup.end),
      );
      const excess = excessiveLookup(variable, lookups, texts);
      // The value stays as written, so that references to it do not multiply it.
      if (excess !== undefined) return this.#fail(excess, 'too long', scope) ?? variable;
      if (this.#isTooMuch(value, lookups, texts, scope)) return variable;
      return [name, spliceAll(value, lookups, texts), moved(reads, lookups, texts), lookups];
    });
    if (frame.dotenv === undefined) return { ...frame, vars };
    const dotenv = this.#pathsOf(frame).map((path) => ({ path, vars: this.#surroundings.dotenv.get(path) ?? [] }));
    return { ...frame, vars, dotenv };
  }

  #pathsOf({ dotenv = [], parent }: Frame): readonly string[] {
    return dotenv.map(({ path, lookups }) => (lookups === undefined ? path : this.#path(path, lookups, parent)));
  }

  /** The path of a dotenv file, which is shown. It depends neither on other dotenv files nor on `env` and `with`. */
  #path(written: string, lookups: readonly VariableLookup[], parent: number | null): string {
    // The inputs of the requested workflow lie inside of the dotenv files of the file.
    const around = parent ?? at(this.#plan.calls, 0).inputs;
    this.#inputsAt ??= scopesOf(this.#plan);
    const outermost = outermostScope(this.#plan);
    const scope = around === undefined ? outermost : { ...outermost, inputs: this.#inputsAt(around).inputs };
    const secret = this.#secretIn(lookups);
    if (secret !== undefined) return this.#fail(secret, 'secret path', scope) ?? written;
    const caller = lookups.find(({ name }) => name === CALLER_DIRECTORY);
    if (caller !== undefined) return this.#fail(caller, 'unset', scope) ?? written;
    const path = this.#linked(written, lookups, scope);
    const [first] = lookups;
    if (path === '' && first !== undefined) this.#fail(first, 'empty path', scope);
    return path;
  }

  /** The first reference to a secret variable. */
  #secretIn(lookups: readonly VariableLookup[]): VariableLookup | undefined {
    const isSecret = (this.#isSecret ??= secretNames(this.#plan));
    return lookups.find(({ name }) => isSecret(name));
  }

  /** The test of a step's files, with patterns as text. */
  #check({ kind, sources, generates }: StaleTest, frame: number): StaleTest {
    const scope = this.#scopeOf(frame);
    const linked = ({ text: written, lookups = [] }: PathPattern): PathPattern => {
      const text = this.#linked(written, lookups, scope);
      const [lookup] = lookups;
      if (lookup !== undefined && text.length > PATTERN_LIMIT) this.#fail(lookup, 'long pattern', scope);
      return { text };
    };
    return { kind, sources: sources.map(linked), generates: generates.map(linked) };
  }

  /** The name of a lock as text. It is shown and compared before the run. */
  #lock({ text: written, lookups = [] }: LookupText, frame: number): LookupText {
    const scope = this.#scopeOf(frame);
    const secret = this.#secretIn(lookups);
    if (secret !== undefined) this.#fail(secret, 'secret lock', scope);
    const text = this.#linked(written, lookups, scope);
    const [first] = lookups;
    if (text.trim() === '' && first !== undefined) this.#fail(first, 'empty lock', scope);
    return { text };
  }

  #directory(path: string, { frame, lookups }: NonNullable<Directory['dirLookup']>): string {
    const scope = this.#scopeOf(frame);
    const linked = this.#linked(path, lookups, scope);
    const [first] = lookups;
    if (linked === '' && first !== undefined) this.#fail(first, 'empty directory', scope);
    return linked;
  }

  #withQuestion(op: RunOp, { text: written, reads, lookups }: Question): RunOp {
    const scope = this.#scopeOf(op.frame);
    const texts = lookups.map((lookup) => {
      const value = this.#valueOf(lookup, scope) ?? written.slice(lookup.start, lookup.end);
      return this.#secretIn([lookup]) === undefined ? value : MASK;
    });
    if (this.#isTooMuch(written, lookups, texts, scope)) return op;
    const text = spliceAll(written, lookups, texts);
    return { ...op, question: { text, reads: moved(reads, lookups, texts), lookups: [] } };
  }

  /** A text with its references replaced. */
  #linked(text: string, lookups: readonly VariableLookup[], scope: Scope): string {
    const values = lookups.map((lookup) => this.#valueOf(lookup, scope));
    const texts = values.map((value, index) => value ?? text.slice(lookups[index]?.start, lookups[index]?.end));
    return this.#isTooMuch(text, lookups, texts, scope) ? text : spliceAll(text, lookups, texts);
  }

  /** The value of a reference; undefined after a problem. `isBeside`: it is set beside it. */
  #valueOf(lookup: VariableLookup, scope: Scope, isBeside = false): string | undefined {
    const setting = settingIn(scope, lookup.name, this.#surroundings.inherited);
    if (setting?.isOpen === true) return this.#fail(lookup, 'output', scope);
    if (setting !== undefined) return valueIn(scope, lookup.name, setting.value);
    return lookup.fallback ?? this.#fail(lookup, isBeside ? 'own scope' : 'unset', scope);
  }

  /** Whether a value exceeds the limit of all linked values. It is a problem once, and later values stay as written. */
  #isTooMuch(text: string, lookups: readonly VariableLookup[], texts: readonly string[], scope: Scope): boolean {
    if (this.#text > TEXT_LIMIT) return true;
    this.#text += text.length;
    for (const [index, lookup] of lookups.entries()) {
      this.#text += (texts[index] ?? '').length - (lookup.end - lookup.start);
      if (this.#text <= TEXT_LIMIT) continue;
      this.#fail(lookup, 'too much text', scope);
      return true;
    }
    return false;
  }

  #fail(lookup: VariableLookup, problem: LookupProblem['problem'], { settings, dotenv, inputs }: Scope): undefined {
    const known = [...settings.keys(), ...dotenv.keys(), ...inputs.keys()];
    this.#problems.set(`${lookup.offset} ${lookup.start}`, { lookup, problem, known });
  }
}

/** Maximum size of `NAME=value` in bytes: Linux takes 128 KiB with the final NUL (MAX_ARG_STRLEN, execve(2)). */
const VARIABLE_LIMIT = 131_071;

/** The first reference whose value makes a variable larger than the system takes. */
function excessiveLookup(
  [name, value]: ScopedVariable,
  lookups: readonly VariableLookup[],
  texts: readonly string[],
): VariableLookup | undefined {
  let bytes = Buffer.byteLength(`${name}=${value}`);
  return lookups.find(({ start, end }, index) => {
    bytes += Buffer.byteLength(texts[index] ?? '') - Buffer.byteLength(value.slice(start, end));
    return bytes > VARIABLE_LIMIT;
  });
}

function spliceAll(text: string, lookups: readonly VariableLookup[], texts: readonly string[]): string {
  return splice(text, lookups, (_, index) => texts[index] ?? '');
}

/** References to outputs, shifted by the change in length of earlier lookups. */
function moved(
  reads: readonly OutputRead[],
  lookups: readonly VariableLookup[],
  texts: readonly string[],
): readonly OutputRead[] {
  return reads.map((read) => {
    const before = lookups.flatMap(({ start, end }, index) =>
      end <= read.start ? (texts[index] ?? '').length - (end - start) : [],
    );
    const by = before.reduce((sum, each) => sum + each, 0);
    return { ...read, start: read.start + by, end: read.end + by };
  });
}
