import { booleanValue } from '../base/boolean_value.ts';
import type { Input } from '../frontend/ast.ts';
import { at, type Frame, type OutputRead, type Plan } from './plan.ts';
import { splice } from './output_variables.ts';

/** A variable's value and its source. `isOpen`: the value contains references to outputs that are not known yet. */
export type Setting = Readonly<{ value: string; source: string; isOpen?: true }>;

/** The innermost declaration of an input, and the innermost default of its name. */
type DeclaredInput = Readonly<{ input: Input; preset: Setting | undefined }>;

/**
 * The variables as seen from a frame: the settings above the process environment, those of dotenv files below it, and
 * the inputs.
 */
export type Scope = Readonly<{
  settings: ReadonlyMap<string, Setting>;
  dotenv: ReadonlyMap<string, Setting>;
  inputs: ReadonlyMap<string, DeclaredInput>;
}>;

const NO_INPUTS: Scope['inputs'] = new Map();
const NO_DOTENV: Scope['dotenv'] = new Map();

/**
 * The scopes of frames. Precedence is defined only in this module. From the weakest to the strongest:
 *
 * 1. the defaults of inputs; of several for one name, that of the innermost workflow
 * 2. the dotenv files: of the file, of the requested workflow, of each called one; of several, the later ones
 * 3. the process environment
 * 4. the global `env`
 * 5. the `env` of the requested workflow
 * 6. for each call, from the outside in: the `env` of the called workflow, then the `matrix` and the `with` of the call
 * 7. the `matrix` and the `with` of the step
 * 8. the parameters
 *
 * `outputOf` gives the values of references; without it, references stay as they are written. For frames in the order
 * of the ops, the time is linear in the frames and the settings.
 */
export function scopesOf(plan: Plan, outputOf?: (read: OutputRead) => string): (frame: number) => Scope {
  const scoped = new Map<string, Setting>();
  const declared = new Map<string, DeclaredInput>();
  /** The overridden settings of each variable of each entered frame, in the order of entry. */
  const overridden: (Setting | undefined)[] = [];
  const outer: (DeclaredInput | undefined)[] = [];
  const under = new Map<string, Setting>();
  const covered: (Setting | undefined)[] = [];
  const enter = ({ source, vars, inputs, dotenv = [] }: Frame): void => {
    for (const { path, vars: own } of dotenv) {
      for (const [name, value] of own) {
        covered.push(under.get(name));
        under.set(name, { value, source: path });
      }
    }
    for (const [name, text, reads] of vars) {
      overridden.push(scoped.get(name));
      if (reads === undefined || reads.length === 0) scoped.set(name, { value: text, source });
      else if (outputOf === undefined) scoped.set(name, { value: text, source, isOpen: true });
      else scoped.set(name, { value: splice(text, reads, outputOf), source });
    }
    for (const input of inputs ?? []) {
      const around = declared.get(input.name);
      outer.push(around);
      const preset = input.default === null ? around?.preset : { value: input.default, source };
      declared.set(input.name, { input, preset });
    }
  };
  const leave = ({ vars, inputs, dotenv = [] }: Frame): void => {
    const names = dotenv.flatMap(({ vars: own }) => own.map(([name]) => name));
    for (const name of names.toReversed()) restore(under, name, covered.pop());
    for (const [name] of vars.toReversed()) restore(scoped, name, overridden.pop());
    for (const { name } of inputs?.toReversed() ?? []) restore(declared, name, outer.pop());
  };
  const moveTo = frameCursor(plan, enter, leave);
  let last: { readonly frame: number; readonly scope: Scope } = {
    frame: -1,
    scope: { settings: scoped, dotenv: NO_DOTENV, inputs: NO_INPUTS },
  };
  return (frame) => {
    if (frame === last.frame) return last.scope;
    moveTo(frame);
    const settings = new Map(scoped);
    for (const [name, value] of plan.params) settings.set(name, { value, source: 'parameters' });
    const dotenv = under.size === 0 ? NO_DOTENV : new Map(under);
    last = { frame, scope: { settings, dotenv, inputs: declared.size === 0 ? NO_INPUTS : new Map(declared) } };
    return last.scope;
  };
}

function restore<Value>(map: Map<string, Value>, name: string, value: Value | undefined): void {
  if (value === undefined) map.delete(name);
  else map.set(name, value);
}

/** The scope of values in the outermost frame: the parameters. */
export function outermostScope({ params }: Plan): Scope {
  const settings = new Map(params.map(([name, value]) => [name, { value, source: 'parameters' }]));
  return { settings, dotenv: NO_DOTENV, inputs: NO_INPUTS };
}

/** The settings of frames, without the layers below the process environment: see `scopesOf`. */
export function settingsOf(
  plan: Plan,
  outputOf?: (read: OutputRead) => string,
): (frame: number) => ReadonlyMap<string, Setting> {
  const scopeOf = scopesOf(plan, outputOf);
  return (frame) => scopeOf(frame).settings;
}

/** A process environment. */
export type Inherited = Readonly<Record<string, string | undefined>>;

/** The setting of a variable in any layer, with the value as written in its source; undefined if none sets it. */
export function settingIn(
  { settings, dotenv, inputs }: Scope,
  name: string,
  inherited: Inherited,
): Setting | undefined {
  const set = settings.get(name);
  if (set !== undefined) return set;
  const value = Object.hasOwn(inherited, name) ? inherited[name] : undefined;
  return value === undefined ? (dotenv.get(name) ?? inputs.get(name)?.preset) : { value, source: 'environment' };
}

/** The value of a variable as seen by commands. The value of a boolean input is `true` or empty. */
export function valueIn({ inputs }: Scope, name: string, value: string): string {
  const yes = inputs.get(name)?.input.type === 'boolean' ? booleanValue(value) : undefined;
  if (yes === undefined) return value;
  return yes ? 'true' : '';
}

/** The variables of a frame as seen by commands, on top of the process environment. */
export function environmentOf(scope: Scope, base: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const variables = new Map(base);
  for (const [name, { value }] of scope.dotenv) if (!variables.has(name)) variables.set(name, value);
  for (const [name, { value }] of scope.settings) variables.set(name, value);
  for (const [name, { preset }] of scope.inputs) {
    const value = variables.get(name) ?? preset?.value;
    if (value !== undefined) variables.set(name, valueIn(scope, name, value));
  }
  return variables;
}

/**
 * A function that moves between frames: leaves frames, innermost first, up to the closest common one, and enters others
 * down to the new one. In the order of the ops, each frame is entered and left about once.
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
    // A frame comes after its parent in the table, so of two frames, the later one does not enclose the other.
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
