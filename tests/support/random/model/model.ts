import { depthOf, haveCommands } from '../random_file_types.ts';
import type { HowToRun, RandomFile, RandomInput, RandomStep, Variables } from '../random_file_types.ts';
import { Givers, type GiverEntry } from './givers.ts';
import { bareName, conditionOf, copiesOf, dirOf, namesIn, nameOf } from './model_texts.ts';
import { rewritten, shownOutputs, type Copy } from './model_texts.ts';
import type { Expected, Fate, Prediction } from './prediction.ts';
import { dirInside, inside, isNegative, Values, type Scope } from './scopes.ts';

/**
 * The state of the walk. A rejected call has a reference without a value, so its commands fail without a start. `depth` is
 * the number of includes that lead to the file of the workflow.
 */
type Place = Readonly<{ scope: Scope; dir: string | null; runs: boolean; refused: boolean; depth: number }>;

type StepOf<Kind extends RandomStep['kind']> = Extract<RandomStep, { kind: Kind }>;

/** How a command is started. Default: as a step. */
type Start = Readonly<{ input?: 'none'; how?: HowToRun; isHook?: boolean; isScript?: boolean; completes?: true }>;

/**
 * A second implementation of the rules of a run, as simple as possible. It walks through the file, without a plan. The
 * members of a group run one after the other.
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

  /** Predicts a run of a workflow. `fateOf` determines how each command ends. */
  run(workflow: number, fateOf: (command: string) => Fate): Prediction {
    return new Walk(this.#file, new Values(this.#process, this.#params), fateOf).run(workflow);
  }
}

class Walk {
  readonly #file: RandomFile;
  readonly #values: Values;
  readonly #fateOf: (command: string) => Fate;
  readonly #givers: Givers;
  readonly #commands: Expected[] = [];
  readonly #steps: object[] = [];
  #failed = false;

  constructor(file: RandomFile, values: Values, fateOf: (command: string) => Fate) {
    this.#file = file;
    this.#values = values;
    this.#fateOf = fateOf;
    this.#givers = new Givers(file);
  }

  run(workflow: number): Prediction {
    const { env: global, before_all, after_all, error, finally: last } = this.#file;
    const depth = depthOf(this.#file, workflow);
    const entered = this.#file.includes.slice(0, depth);
    const outside = { layers: [], inputs: this.#inputsOf(workflow) };
    const around = this.#values.enter(entered, inside(outside, this.#values.resolved(global, outside)));
    const scope = inside(around, this.#values.resolved(this.#envOf(workflow), around));
    const outermost = { scope, dir: null, runs: true, refused: false, depth };
    this.#hook(before_all, outermost, true);
    const dir = this.#values.text(this.#file.workflows[workflow]?.dir, scope) ?? dirInside(entered) ?? null;
    this.#execute(workflow, { ...outermost, dir }, !this.#failed);
    this.#hook(after_all, outermost, !this.#failed, { isHook: true });
    this.#hook(error, outermost, this.#failed, { isHook: true });
    this.#hook(last, outermost, true, { isHook: true });
    return {
      commands: this.#commands,
      steps: JSON.parse(JSON.stringify(this.#steps)),
      success: !this.#failed,
      unresolved: this.#givers.unresolved,
    };
  }

  /** `isHook`: it may refer to steps of another workflow. */
  #hook(command: string | undefined, place: Place, isWanted: boolean, { isHook = false } = {}): void {
    if (command === undefined || command.trim() === '') return;
    const how = { isHook, isScript: command.includes('\n'), completes: true } as const;
    if (!isWanted) this.#givers.look(command, isHook);
    else if (this.#start(command, place, how).code !== 0) this.#failed = true;
  }

  /** Visits the steps of a workflow, and then its hooks if it has begun. */
  #execute(workflow: number, place: Place, hasBegun: boolean): void {
    this.#walk(this.#stepsOf(workflow), place, '');
    this.#hook(this.#file.workflows[workflow]?.error, place, hasBegun && this.#failed);
    this.#hook(this.#file.workflows[workflow]?.finally, place, hasBegun);
  }

  /** Visits steps in order. `number` is that of the group around them, with a dot; empty for the steps of a workflow. */
  #walk(steps: readonly RandomStep[], place: Place, number: string): void {
    for (const [index, step] of steps.entries()) {
      const position = `${number}${index + 1}`;
      for (const copy of copiesOf(step)) this.#visit(step, position, place, copy);
    }
  }

  #visit(step: RandomStep, position: string, outer: Place, { variables: copied, label }: Copy): void {
    const place = { ...outer, scope: inside(outer.scope, copied) };
    const variables = step.kind === 'short' ? [] : step.with;
    const own = this.#givers.filled(this.#values.resolved(variables, place.scope));
    const missing = variables.flatMap(([key, value]) =>
      !this.#values.isOverridden(key) && this.#givers.isMissing(value) ? key : [],
    );
    for (const [name, value] of variables) if (name === 'MY_TOKEN') this.#givers.hide(value);
    const scope = inside(place.scope, own);
    const near = { ...place, scope, dir: this.#values.text(dirOf(step), scope) ?? place.dir };
    const condition = conditionOf(step) ?? '';
    const isUntestable = this.#givers.isMissing(condition) || missing.some((name) => namesIn(condition).includes(name));
    const isTested = condition !== '' && place.runs && !place.refused && !isUntestable;
    if (!isTested) this.#givers.look(condition);
    const runs = place.runs && (!isTested || this.#holds(condition, near));
    const refused = place.refused || isUntestable || missing.length > 0;
    const inner = { ...near, runs, refused };
    if (step.kind === 'call') return this.#call(step, inner, { outer, layers: [copied, own] });
    if (step.kind === 'group') return this.#group(step, position, inner, place.refused);
    this.#step(step, nameOf(step, position) + label, inner);
  }

  /** `layers` are the variables of the call itself. */
  #call(
    step: StepOf<'call'>,
    near: Place,
    { outer, layers }: Readonly<{ outer: Place; layers: readonly Variables[] }>,
  ): void {
    const called = this.#file.workflows[step.target];
    const depth = depthOf(this.#file, step.target);
    const entered = this.#file.includes.slice(outer.depth, depth);
    const inputs = [...outer.scope.inputs, ...this.#inputsOf(step.target)];
    const around = { ...this.#values.enter(entered, outer.scope, layers), inputs };
    const env = this.#values.resolved(this.#envOf(step.target), inside(around, ...layers));
    const scope = inside(around, env, ...layers);
    const own = this.#values.text(step.dir, near.scope) ?? this.#values.text(called?.dir, scope);
    const dir = own ?? dirInside(entered) ?? outer.dir;
    const isChecked = near.runs && !near.refused && !this.#failed;
    const refused = near.refused || (isChecked && this.#values.areInvalid(this.#inputsOf(step.target), scope));
    this.#failIfEmpty({ ...near, refused }, outer.refused, this.#stepsOf(step.target));
    this.#execute(step.target, { ...near, scope, dir, refused, depth }, isChecked && !refused);
  }

  /** Visits the members of a group. Each sees only the steps before the group. */
  #group(step: StepOf<'group'>, position: string, near: Place, isOuterRefused: boolean): void {
    this.#failIfEmpty(near, isOuterRefused, step.members);
    const [before, wasFailed] = [this.#givers.last, this.#failed];
    const given: GiverEntry[] = [];
    let failed = wasFailed;
    for (const [index, member] of step.members.entries()) {
      for (const copy of copiesOf(member)) {
        this.#failed = wasFailed || (failed && step.fail_fast === true);
        this.#givers.last = before;
        this.#visit(member, `${position}.${index + 1}`, near, copy);
        failed ||= this.#failed;
        given.push(...[...this.#givers.last].filter(([name, giver]) => before.get(name) !== giver));
      }
    }
    this.#failed = failed;
    this.#givers.last = new Map([...before, ...given]);
  }

  /** A call or group without commands has no step that could fail in its place. */
  #failIfEmpty({ runs, refused }: Place, isOuterRefused: boolean, steps: readonly RandomStep[]): void {
    if (runs && refused && !isOuterRefused && !haveCommands(this.#file, steps)) this.#failed = true;
  }

  #step(step: StepOf<'run' | 'short'>, name: string, place: Place): void {
    const how: HowToRun = step.kind === 'run' ? step : {};
    const { outputs = [], retry, allow_failure: isAllowed = false } = how;
    const keys = outputs.map(([key]) => key);
    const behind = how.background === undefined ? {} : { background: true };
    if (!place.runs || this.#failed) {
      this.#givers.look(step.run);
      this.#givers.give(name, keys);
      return;
    }
    if (place.refused || this.#givers.isMissing(step.run)) {
      this.#givers.look(step.run);
      this.#givers.give(name, keys);
      const allowed = isAllowed ? { allowed_failure: true } : {};
      this.#steps.push({ name, command: step.run, exit_code: 126, ...behind, ...allowed, error: 'not started' });
      this.#failed ||= !isAllowed;
      return;
    }
    const isScript = step.kind === 'run' && step.run.includes('\n');
    let fate = this.#start(step.run, place, { how, isScript });
    let attempts = 1;
    const [most, wait] = [retry?.max_attempts ?? 1, retry?.delay.milliseconds ?? 0];
    for (; fate.code !== 0 && attempts < most; attempts += 1) {
      this.#commands.push({ wait });
      fate = this.#start(step.run, place, { how, isScript });
    }
    const { code, valueOf: give } = fate;
    const isGiven = keys.length > 0 && code === 0 && give !== undefined;
    const isBad = code !== 0 || (keys.length > 0 && !isGiven);
    const values = isGiven ? keys.map((key) => [key, give(key)] as const) : [];
    const secret = this.#givers.give(name, keys, values);
    this.#steps.push({
      name,
      command: step.run,
      exit_code: code,
      ...behind,
      // A later variable can make an output secret.
      ...(isGiven ? { outputs: { toJSON: () => shownOutputs(values, secret) } } : {}),
      ...(retry === undefined ? {} : { attempts }),
      ...(isBad && isAllowed ? { allowed_failure: true } : {}),
      ...(isBad && code === 0 ? { error: 'nothing' } : {}),
      ...(isBad && how.background !== undefined ? { error: 'not started' } : {}),
    });
    if (isBad && !isAllowed) this.#failed = true;
  }

  #start(text: string, { scope, dir }: Place, { input, how = {}, isHook, isScript = false, completes }: Start): Fate {
    const read = new Map<string, readonly [string, string]>();
    const command = rewritten(text, (reference) => {
      const value = this.#givers.valueOf(reference, isHook) ?? '';
      const known = read.get(reference.text) ?? ([`CLI_OUTPUT_${read.size + 1}`, value] as const);
      read.set(reference.text, known);
      return known[0];
    });
    const variables = new Map([...this.#values.all(scope), ...read.values()]);
    const references = new Map([...read].map(([reference, [name]]) => [name, reference]));
    const timeout = how.timeout?.milliseconds ?? (how.background === undefined ? null : 60_000);
    const context = { variables, references, input: input ?? 'inherit', dir, timeout } as const;
    this.#commands.push({ command, errexit: isScript, ...context, ...(completes === undefined ? {} : { completes }) });
    return this.#fateOf(command);
  }

  #holds(condition: string, place: Place): boolean {
    const name = bareName(condition);
    if (this.#failed) this.#givers.look(condition);
    if (this.#failed) return false;
    if (name === undefined) return this.#start(condition, place, { input: 'none' }).code === 0;
    const value = this.#values.all(place.scope).get(name) ?? '';
    this.#failed = isNegative(value);
    return value !== '' && !this.#failed;
  }

  #stepsOf(workflow: number): readonly RandomStep[] {
    return this.#file.workflows[workflow]?.steps ?? [];
  }

  #inputsOf(workflow: number): readonly RandomInput[] {
    return this.#file.workflows[workflow]?.inputs ?? [];
  }

  #envOf(workflow: number): Variables {
    return this.#file.workflows[workflow]?.env ?? [];
  }
}
