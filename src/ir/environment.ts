import { at, type Frame, type Plan, type OutputRead } from './plan.ts';
import { splice } from './output_variables.ts';

/** What the file and the parameters set a variable to, and which source won. */
export type Setting = Readonly<{ value: string; source: string }>;

/**
 * What the file and the parameters give an op of a frame, by name. This is the only place that knows
 * precedence. From the weakest to the strongest:
 *
 * 1. the global `env`
 * 2. the `env` of the workflow asked for
 * 3. for each call on the way down: the called workflow's `env`, then the `with` of the call
 * 4. the `with` of the step
 * 5. runtime parameters
 *
 * The process environment lies under all of them. Frames are asked for in the order of the ops, so
 * the last answer is kept: the next frame is mostly the same one, or lies just inside it.
 *
 * `outputOf` gives what is read into a value; without it, values stay as they are written.
 */
export function settingsOf(
  plan: Plan,
  outputOf?: (read: OutputRead) => string,
): (frame: number) => ReadonlyMap<string, Setting> {
  let last = { frame: -1, scoped: new Map<string, Setting>(), all: new Map<string, Setting>() };
  return (frame) => {
    if (frame === last.frame) return last.all;
    const path: Frame[] = [];
    let index: number | null = frame;
    while (index !== null && index !== last.frame) {
      const scope: Frame = at(plan.frames, index);
      path.push(scope);
      index = scope.parent;
    }
    const scoped = new Map(index === null ? [] : last.scoped);
    for (const { source, vars } of path.toReversed()) {
      for (const [name, text, reads] of vars) {
        const value = reads === undefined || outputOf === undefined ? text : splice(text, reads, outputOf);
        scoped.set(name, { value, source });
      }
    }
    const all = new Map(scoped);
    for (const [name, value] of plan.params) all.set(name, { value, source: 'parameters' });
    last = { frame, scoped, all };
    return all;
  };
}

/**
 * All that the file and the parameters say of the variables of a frame: for each name every source
 * that sets it, the one that wins first, then those that it lies over.
 */
export function candidateSettings(plan: Plan, frame: number): ReadonlyMap<string, readonly Setting[]> {
  const rivals = new Map<string, Setting[]>();
  const add = (source: string, vars: Frame['vars']): void => {
    for (const [name, value] of vars) {
      const found = rivals.get(name);
      if (found === undefined) rivals.set(name, [{ value, source }]);
      else found.push({ value, source });
    }
  };
  add('parameters', plan.params);
  for (let index: number | null = frame; index !== null;) {
    const { source, vars, parent }: Frame = at(plan.frames, index);
    add(source, vars);
    index = parent;
  }
  return rivals;
}
