import { bareName, conditionOf, dirOf, nameOf } from './model_texts.ts';
import type { HowToRun, RandomFile, Variables } from './random_file.ts';

/** A step of a dry run. */
export interface Planned extends HowToRun {
  readonly name: string;
  readonly command: string;
  readonly if: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly dir: string | undefined;
}

/** The steps of a dry run, with the conditions around each and what it is given. */
export function plannedSteps(file: RandomFile, params: Variables, workflow: number): Planned[] {
  const envOf = (index: number): Variables => file.workflows[index]?.env ?? [];
  const walk = (index: number, scopes: readonly Variables[], guards: readonly string[], dir?: string): Planned[] =>
    (file.workflows[index]?.steps ?? []).flatMap((step, position) => {
      const condition = conditionOf(step);
      const inner = condition === undefined ? guards : [...guards, bareName(condition) ?? condition];
      if (step.kind === 'call') {
        const inside = step.dir ?? file.workflows[step.target]?.dir ?? dir;
        return walk(step.target, [...scopes, envOf(step.target), step.with], inner, inside);
      }
      const own = step.kind === 'short' ? scopes : [...scopes, step.with];
      const env = new Map([...own, params].flat());
      const { outputs, retry, timeout, allow_failure } = step.kind === 'run' ? step : {};
      const how = { outputs, retry, timeout, allow_failure, dir: dirOf(step) ?? dir };
      return [{ name: nameOf(step, position), command: step.run, if: inner, env, ...how }];
    });
  return walk(workflow, [file.env, envOf(workflow)], [], file.workflows[workflow]?.dir);
}

/** The hooks of a dry run. */
export function plannedHooks(file: RandomFile): Record<string, { command: string }> {
  const { before_all, after_all, error, finally: last } = file;
  const all = { before_all, after_all, error, finally: last };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, command]) =>
      command === undefined || command.trim() === '' ? [] : [[name, { command }]],
    ),
  );
}
