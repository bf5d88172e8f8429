import { depthOf, nameIn } from '../random_file_types.ts';
import type { GroupFields, HowToRun, RandomFile, RandomStep, Variables } from '../random_file_types.ts';
import { bareName, conditionOf, copiesOf, dirOf, nameOf } from './model_texts.ts';
import { dirInside } from './scopes.ts';

/** A step of a dry run. */
export interface Planned extends HowToRun {
  readonly name: string;
  readonly command: string;
  readonly if: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly dir: string | undefined;
}

/** A group of a dry run, or a member with any number of steps but one. */
export interface PlannedGroup extends GroupFields {
  readonly name?: string | undefined;
  readonly parallel: readonly (PlannedEntry | PlannedMember)[];
}
export interface PlannedMember {
  readonly name: string;
  readonly steps: readonly PlannedEntry[];
}
/** The end of steps in the background. */
export type PlannedStop = Readonly<{ stop: readonly string[] }>;
export type PlannedEntry = Planned | PlannedGroup | PlannedStop;

/** The variables, conditions and directory around a step. */
interface Around {
  readonly scopes: readonly Variables[];
  readonly guards: readonly string[];
  readonly dir: string | undefined;
  /** The number of includes that lead to the file. */
  readonly depth: number;
}

/** The steps of a dry run, with the conditions around each and its variables. */
export function plannedSteps(file: RandomFile, params: Variables, workflow: number): PlannedEntry[] {
  const envOf = (index: number): Variables => file.workflows[index]?.env ?? [];
  const stepsOf = (index: number): readonly RandomStep[] => file.workflows[index]?.steps ?? [];
  const walk = (steps: readonly RandomStep[], around: Around): PlannedEntry[] => [
    ...steps.flatMap((step, index) => copies(step, `${index + 1}`, around).flatMap(({ steps: own }) => own)),
    ...stopOf(steps),
  ];
  const copies = (step: RandomStep, position: string, around: Around): PlannedMember[] =>
    copiesOf(step).map(({ variables, label }) => ({
      name: nameOf(step, position) + label,
      steps: planned(
        step,
        position,
        { ...around, scopes: [...around.scopes, variables] },
        { around, label, variables },
      ),
    }));
  const planned = (
    step: RandomStep,
    position: string,
    { scopes, guards, dir, depth }: Around,
    copy: Readonly<{ around: Around; label: string; variables: Variables }>,
  ): PlannedEntry[] => {
    const condition = conditionOf(step);
    const inner = condition === undefined ? guards : [...guards, bareName(condition) ?? condition];
    const own = step.kind === 'short' ? scopes : [...scopes, step.with];
    if (step.kind === 'call') {
      const target = depthOf(file, step.target);
      const entered = file.includes.slice(depth, target);
      const envs = [...entered.map((each) => each.env), envOf(step.target)];
      const called = [...copy.around.scopes, ...envs, copy.variables, step.with];
      const inside = step.dir ?? file.workflows[step.target]?.dir ?? dirInside(entered) ?? dir;
      return walk(stepsOf(step.target), { scopes: called, guards: inner, dir: inside, depth: target });
    }
    if (step.kind === 'group') {
      const around = { scopes: own, guards: inner, dir: step.dir ?? dir, depth };
      const members = step.members.flatMap((member, index) => copies(member, `${position}.${index + 1}`, around));
      const { name, max_parallel, fail_fast, output } = step;
      const parallel = members.map((member) => {
        const [only, ...others] = member.steps;
        return only !== undefined && others.length === 0 ? only : member;
      });
      return [{ parallel, name, max_parallel, fail_fast, output }];
    }
    const env = new Map([...own, params].flat());
    const { outputs, retry, timeout, allow_failure, confirm, sources, generates, background } =
      step.kind === 'run' ? step : {};
    const options = { outputs, retry, timeout, allow_failure, confirm, sources, generates, background };
    const how = { ...options, dir: dirOf(step) ?? dir };
    return [{ name: nameOf(step, position) + copy.label, command: step.run, if: inner, env, ...how }];
  };
  const depth = depthOf(file, workflow);
  const entered = file.includes.slice(0, depth);
  const scopes = [file.env, ...entered.map((each) => each.env), envOf(workflow)];
  const dir = file.workflows[workflow]?.dir ?? dirInside(entered);
  return walk(stepsOf(workflow), { scopes, guards: [], dir, depth });
}

/** The stop of the steps in the background of a workflow, the last one first. */
function stopOf(steps: readonly RandomStep[]): readonly PlannedStop[] {
  const stop = steps.flatMap((step, index) =>
    step.kind === 'run' && step.background !== undefined
      ? copiesOf(step).map(({ label }) => nameOf(step, `${index + 1}`) + label)
      : [],
  );
  return stop.length === 0 ? [] : [{ stop: stop.toReversed() }];
}

/** The hooks that have a command. */
function given(hooks: Readonly<Record<string, string | undefined>>): (readonly [hook: string, command: string])[] {
  return Object.entries(hooks).flatMap(([name, command = '']) => (command.trim() === '' ? [] : [[name, command]]));
}

/** The hooks of a dry run. Those of workflows are in the order in which the workflows end. */
export function plannedHooks(file: RandomFile, workflow: number): Record<string, unknown> {
  const { before_all, after_all, error, finally: last } = file;
  const inSteps = (steps: readonly RandomStep[]): object[] =>
    steps.flatMap((step) => {
      if (step.kind === 'group') return inSteps(step.members);
      return step.kind === 'call' ? copiesOf(step).flatMap(() => hooksOf(step.target)) : [];
    });
  const hooksOf = (index: number): object[] => {
    const { steps = [], error: failed, finally: ended } = file.workflows[index] ?? {};
    const own = given({ error: failed, finally: ended });
    return [...inSteps(steps), ...own.map(([hook, command]) => ({ hook, workflow: nameIn(file, index), command }))];
  };
  const ofFile = given({ before_all, after_all, error, finally: last }).map(([name, command]) => [name, { command }]);
  const hooks = hooksOf(workflow);
  return { ...Object.fromEntries(ofFile), ...(hooks.length === 0 ? {} : { hooks }) };
}
