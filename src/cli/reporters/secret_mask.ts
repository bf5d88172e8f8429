import type { RunEvent } from '../../backend/run_event.ts';
import { ValueMask } from '../../backend/outputs/value_mask.ts';
import { secretNames, secretOutputs } from '../../ir/secret_names.ts';
import type { Plan } from '../../ir/plan.ts';

type NamedValue = readonly [name: string, value: string | undefined, ...rest: unknown[]];

/** All secrets known before the run, from the environment, the file and the parameters. */
export function secretValues(plan: Plan, env: Readonly<Record<string, string | undefined>>): string[] {
  const fromFile = plan.frames.flatMap(({ vars }) => vars.filter(([, , reads = []]) => reads.length === 0));
  const presets = plan.frames.flatMap(({ inputs = [] }) =>
    inputs.map(({ name, default: value }): NamedValue => [name, value ?? undefined]),
  );
  const fromDotenv = plan.frames.flatMap(({ dotenv = [] }) => dotenv.flatMap(({ vars }) => vars));
  const isSecret = secretNames(plan);
  const all: NamedValue[] = [...Object.entries(env), ...fromDotenv, ...presets, ...fromFile, ...plan.params];
  return all.flatMap(([name, value = '']) => (isSecret(name) ? value : []));
}

/** A function for the secrets among the outputs of a step that has ended. */
export function secretOutputValues(plan: Plan): (event: RunEvent) => string[] {
  const isSecret = secretOutputs(plan);
  return (event) => {
    if (event.kind !== 'ended' || event.exit.kind !== 'exited' || event.exit.outputs?.ok !== true) return [];
    const { values, secret } = event.exit.outputs;
    return values.flatMap(([name, value]) => {
      return value !== null && (secret?.has(name) === true || isSecret(event.op, name)) ? value : [];
    });
  };
}

/** Masks the secrets of a run in the output of its commands. */
export class SecretMask extends ValueMask {
  readonly #valuesOf: (event: RunEvent) => string[];

  constructor(plan: Plan, env: Readonly<Record<string, string | undefined>>) {
    super();
    this.#valuesOf = secretOutputValues(plan);
    for (const value of secretValues(plan, env)) this.hide(value);
  }

  /** Must be called before the output of a step is read: the step may have printed a secret that is its output. */
  onEvent(event: RunEvent): void {
    for (const value of this.#valuesOf(event)) this.hide(value);
  }
}
