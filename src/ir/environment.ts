import { at, type Frame, type Plan } from './plan.ts';

/** What the file and the parameters set a variable to, and which source won. */
export type Setting = Readonly<{ value: string; source: string }>;

/**
 * The sources of variables for an op, the strongest first. This is the only place that knows
 * precedence:
 *
 * 1. runtime parameters
 * 2. the `with` of the step
 * 3. for each call on the way down, the innermost first: the `with` of the call, then the called
 *    workflow's `env`
 * 4. the `env` of the workflow asked for
 * 5. the global `env`
 *
 * The process environment lies under all of them.
 */
function* layers(plan: Plan, frame: number): Generator<Pick<Frame, 'source' | 'vars'>> {
  yield { source: 'parameters', vars: plan.params };
  for (let index: number | null = frame; index !== null;) {
    const scope: Frame = at(plan.frames, index);
    yield scope;
    index = scope.parent;
  }
}

/** What the file and the parameters give an op, by name. */
export function settings(plan: Plan, frame: number): Map<string, Setting> {
  const found = new Map<string, Setting>();
  for (const { source, vars } of layers(plan, frame)) {
    for (const [name, value] of vars) if (!found.has(name)) found.set(name, { value, source });
  }
  return found;
}

/** The whole environment of an op over that of the process. */
export function environment(plan: Plan, frame: number, base: ReadonlyMap<string, string>): Map<string, string> {
  const variables = new Map(base);
  for (const [name, { value }] of settings(plan, frame)) variables.set(name, value);
  return variables;
}
