import { bareName, conditionOf, declaredOutputs, dirOf, namesIn, nameOf } from './model_texts.ts';
import { replaceReferences, replaceVariables, rewritten, shownOutputs, type Reference } from './model_texts.ts';
import type { HowToRun, RandomFile, RandomStep, Variables } from './random_file.ts';

/** A command expected at the shell, or a wait of so many milliseconds. */
export type Expected =
  | { readonly wait: number }
  | {
      readonly command: string;
      /** Variables of the file and the parameters, over those of the process. */
      readonly variables: ReadonlyMap<string, string>;
      readonly errexit: boolean;
      readonly input: 'inherit' | 'none';
      readonly dir: string | null;
      readonly timeout: number | null;
      /** The references in the command, by their variables. */
      readonly references: ReadonlyMap<string, string>;
    };

/** How a command ends. `valueOf` is undefined if its standard output does not contain the outputs. */
export type Fate = Readonly<{ code: number; valueOf: ((output: string) => string) | undefined }>;

/** The expected result of a run. */
export interface Prediction {
  readonly commands: readonly Expected[];
  readonly steps: readonly object[];
  readonly success: boolean;
  /** References without a step. If there are any, nothing else happens. */
  readonly unresolved: ReadonlySet<string>;
}

/** The last execution of a step: its possible and its actual outputs. */
type Giver = Readonly<{ outputs: readonly string[]; values: ReadonlyMap<string, string>; secret: Set<string> }>;

/** The state of the walk. A refused call has a reference without a value, so its commands fail without being started. */
type Place = Readonly<{ scopes: readonly Variables[]; dir: string | null; runs: boolean; refused: boolean }>;

/**
 * A second implementation of the rules of a run, as simple as possible: it walks through the file, without a plan.
 * `fateOf` decides how each command ends.
 */
export class Model {
  readonly #file: RandomFile;
  readonly #process: Variables;
  readonly #params: Variables;

  constructor(file: RandomFile, process: Variables, params: Variables) {
    this.#file = file;
    this.#process = process;
    this.#params = params;
  }

  run(workflow: number, fateOf: (command: string) => Fate): Prediction {
    const commands: Expected[] = [];
    const steps: object[] = [];
    const unresolved = new Set<string>();
    const last = new Map<string, Giver>();
    let failed = false;
    const declared = declaredOutputs(this.#file);
    const valueOf = ({ text, step, output, fallback }: Reference, isHook = false): string | undefined => {
      const giver = last.get(step);
      const isServed = giver?.outputs.includes(output) === true;
      const isOptional = isHook || (fallback !== undefined && giver === undefined);
      if (!isServed && !(isOptional && declared.has(`${step}.${output}`))) unresolved.add(text);
      return (isServed ? giver.values.get(output) : undefined) ?? fallback;
    };
    const isMissing = (text: string): boolean => {
      let missing = false;
      replaceReferences(text, (reference) => {
        missing ||= valueOf(reference) === undefined;
        return '';
      });
      return missing;
    };
    const filled = (variables: Variables): Variables =>
      variables.map(([name, value]) => [name, replaceReferences(value, (reference) => valueOf(reference) ?? '')]);
    /** Makes the outputs secret that a secret value refers to. */
    const hide = (value: string): void =>
      void replaceReferences(value, ({ step, output }) => (last.get(step)?.secret.add(output), ''));
    const missingIn = (variables: Variables): readonly string[] => {
      const isOverridden = (name: string): boolean => this.#params.some(([param]) => param === name);
      return variables.flatMap(([name, value]) => (!isOverridden(name) && isMissing(value) ? name : []));
    };
    const start = (
      text: string,
      { scopes, dir }: Omit<Place, 'runs' | 'refused'>,
      input: 'inherit' | 'none',
      how: HowToRun = {},
      isHook = false,
      isScript = false,
    ): Fate => {
      const read = new Map<string, readonly [string, string]>();
      const command = rewritten(text, (reference) => {
        const value = valueOf(reference, isHook) ?? '';
        const known = read.get(reference.text) ?? ([`CLI_OUTPUT_${read.size + 1}`, value] as const);
        read.set(reference.text, known);
        return known[0];
      });
      const variables = new Map([this.#process, ...scopes, this.#params, [...read.values()]].flat());
      const references = new Map([...read].map(([reference, [name]]) => [name, reference]));
      const timeout = how.timeout?.milliseconds ?? null;
      commands.push({ command, errexit: isScript, variables, input, dir, timeout, references });
      return fateOf(command);
    };
    /** Visits unreached steps, for references without a step. */
    const look = (text: string, isHook = false): void =>
      void replaceReferences(text, (reference) => valueOf(reference, isHook) ?? '');
    const holds = (condition: string, place: Place): boolean => {
      const name = bareName(condition);
      if (failed) look(condition);
      if (failed) return false;
      if (name === undefined) return start(condition, place, 'none').code === 0;
      const value = new Map([this.#process, ...place.scopes, this.#params].flat()).get(name) ?? '';
      failed = ['0', 'false'].includes(value);
      return value !== '' && !failed;
    };
    const runStep = (step: RunStep, name: string, place: Place): void => {
      const { outputs = [], retry, allow_failure: isAllowed = false } = step.kind === 'run' ? step : {};
      const keys = outputs.map(([key]) => key);
      if (!place.runs || failed) {
        look(step.run);
        last.set(name, { outputs: keys, values: new Map(), secret: new Set() });
        return;
      }
      if (place.refused || isMissing(step.run)) {
        look(step.run);
        last.set(name, { outputs: keys, values: new Map(), secret: new Set() });
        const allowed = isAllowed ? { allowed_failure: true } : {};
        steps.push({ name, command: step.run, exit_code: 126, ...allowed, error: 'no value' });
        failed ||= !isAllowed;
        return;
      }
      const how = step.kind === 'run' ? step : {};
      const isScript = step.kind === 'run' && step.run.includes('\n');
      let fate = start(step.run, place, 'inherit', how, false, isScript);
      let attempts = 1;
      const [most, wait] = [retry?.max_attempts ?? 1, retry?.delay.milliseconds ?? 0];
      for (; fate.code !== 0 && attempts < most; attempts += 1) {
        commands.push({ wait });
        fate = start(step.run, place, 'inherit', how, false, isScript);
      }
      const { code, valueOf: give } = fate;
      const isGiven = keys.length > 0 && code === 0 && give !== undefined;
      const isBad = code !== 0 || (keys.length > 0 && !isGiven);
      const values = isGiven ? keys.map((key) => [key, give(key)] as const) : [];
      const secret = new Set<string>();
      last.set(name, { outputs: keys, values: new Map(values), secret });
      steps.push({
        name,
        command: step.run,
        exit_code: code,
        // A later variable can make an output secret.
        ...(isGiven ? { outputs: { toJSON: () => shownOutputs(values, secret) } } : {}),
        ...(retry === undefined ? {} : { attempts }),
        ...(isBad && isAllowed ? { allowed_failure: true } : {}),
        ...(isBad && code === 0 ? { error: 'nothing' } : {}),
      });
      if (isBad && !isAllowed) failed = true;
    };
    const walk = (index: number, place: Place): void => {
      for (const [position, step] of this.#stepsOf(index).entries()) {
        const variables = step.kind === 'short' ? [] : step.with;
        const [own, missing] = [filled(this.#resolved(variables, place.scopes)), missingIn(variables)];
        for (const [name, value] of variables) if (name === 'MY_TOKEN') hide(value);
        const inner = [...place.scopes, own];
        const near = { ...place, scopes: inner, dir: this.#text(dirOf(step), inner) ?? place.dir };
        const condition = conditionOf(step) ?? '';
        const isUntestable = isMissing(condition) || missing.some((name) => namesIn(condition).includes(name));
        const isTested = condition !== '' && place.runs && !place.refused && !isUntestable;
        if (!isTested) look(condition);
        const runs = place.runs && (!isTested || holds(condition, near));
        const refused = place.refused || isUntestable || missing.length > 0;
        if (step.kind !== 'call') {
          runStep(step, nameOf(step, position), { ...near, runs, refused });
          continue;
        }
        if (runs && refused && !place.refused && !this.#hasCommands(step.target)) failed = true;
        const called = this.#file.workflows[step.target];
        const scopes = [...place.scopes, this.#resolved(this.#envOf(step.target), inner), own];
        const dir = this.#text(step.dir, inner) ?? this.#text(called?.dir, scopes) ?? place.dir;
        walk(step.target, { scopes, runs, refused, dir });
      }
    };
    const global = this.#resolved(this.#file.env, []);
    const scopes = [global, this.#resolved(this.#envOf(workflow), [global])];
    const outermost = { scopes, dir: null, runs: true, refused: false };
    const hook = (command: string | undefined, isWanted: boolean, isFirst = false): void => {
      if (command === undefined || command.trim() === '') return;
      if (!isWanted) look(command, !isFirst);
      else if (start(command, outermost, 'inherit', {}, !isFirst, command.includes('\n')).code !== 0) failed = true;
    };
    hook(this.#file.before_all, true, true);
    walk(workflow, { ...outermost, dir: this.#text(this.#file.workflows[workflow]?.dir, scopes) ?? null });
    hook(this.#file.after_all, !failed);
    hook(this.#file.error, failed);
    hook(this.#file.finally, true);
    return { commands, steps: JSON.parse(JSON.stringify(steps)), success: !failed, unresolved };
  }

  /** Variables with the references of their values replaced, which look in the scopes outside. */
  #resolved(variables: Variables, scopes: readonly Variables[]): Variables {
    return variables.map(([name, value]) => [name, this.#text(value, scopes) ?? '']);
  }

  #text(text: string | undefined, scopes: readonly Variables[]): string | undefined {
    const values = new Map([this.#process, ...scopes, this.#params].flat());
    return text === undefined ? undefined : replaceVariables(text, (name) => values.get(name));
  }

  #stepsOf(workflow: number): readonly RandomStep[] {
    return this.#file.workflows[workflow]?.steps ?? [];
  }

  /** Whether a call of a workflow comes to any command. */
  #hasCommands(workflow: number): boolean {
    return this.#stepsOf(workflow).some((step) => step.kind !== 'call' || this.#hasCommands(step.target));
  }

  #envOf(workflow: number): Variables {
    return this.#file.workflows[workflow]?.env ?? [];
  }
}

type RunStep = Exclude<RandomStep, { kind: 'call' }>;
