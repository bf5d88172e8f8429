import { at, type Frame, type OutputRead, type Plan } from './plan.ts';
import { splice } from './output_variables.ts';

/** A variable's value in the file or the parameters, and the source that sets it. */
export type Setting = Readonly<{ value: string; source: string }>;

/**
 * The settings of a frame by name. This is the only place that knows precedence. From the weakest to the strongest:
 *
 * 1. the global `env`
 * 2. the `env` of the requested workflow
 * 3. for each call, from the outside in: the `env` of the called workflow, then the `with` of the call
 * 4. the `with` of the step
 * 5. the parameters
 *
 * The process environment lies under all of them.
 *
 * `outputOf` gives the values of references; without it, references stay as they are written. For frames in the order
 * of the ops, the time is linear in the frames and the settings.
 */
export function settingsOf(
  plan: Plan,
  outputOf?: (read: OutputRead) => string,
): (frame: number) => ReadonlyMap<string, Setting> {
  const scoped = new Map<string, Setting>();
  /** The setting that each variable of each entered frame overrides, in the order of entry. */
  const overridden: (Setting | undefined)[] = [];
  const enter = ({ source, vars }: Frame): void => {
    for (const [name, text, reads] of vars) {
      const value = reads === undefined || outputOf === undefined ? text : splice(text, reads, outputOf);
      overridden.push(scoped.get(name));
      scoped.set(name, { value, source });
    }
  };
  const leave = ({ vars }: Frame): void => {
    for (const [name] of vars.toReversed()) {
      const setting = overridden.pop();
      if (setting === undefined) scoped.delete(name);
      else scoped.set(name, setting);
    }
  };
  const moveTo = frameCursor(plan, enter, leave);
  let last = { frame: -1, settings: scoped };
  return (frame) => {
    if (frame === last.frame) return last.settings;
    moveTo(frame);
    const settings = new Map(scoped);
    for (const [name, value] of plan.params) settings.set(name, { value, source: 'parameters' });
    last = { frame, settings };
    return settings;
  };
}

/**
 * A function that moves from frame to frame: leaves frames, innermost first, up to the closest common one, and enters
 * others down to the new one. In the order of the ops, each frame is entered and left about once.
 */
export function frameCursor(
  { frames }: Plan,
  enter: (frame: Frame) => void,
  leave: (frame: Frame) => void,
): (frame: number) => void {
  const entered: number[] = [];
  return (frame) => {
    const path: number[] = [];
    let current = entered.at(-1);
    // A frame follows its parent in the table, so of two frames the later one does not enclose the other.
    for (let target: number | null = frame; target !== null && target !== current; current = entered.at(-1)) {
      if (current !== undefined && current > target) {
        leave(at(frames, current));
        entered.pop();
      } else {
        path.push(target);
        target = at(frames, target).parent;
      }
    }
    for (const index of path.toReversed()) {
      enter(at(frames, index));
      entered.push(index);
    }
  };
}
