import type { RunEvent } from '../backend/run_event.ts';
import { withoutControls, type Mask } from '../backend/outputs/mask.ts';
import { MASK, secretNames, secretOutputs } from '../ir/secrets.ts';
import type { Plan } from '../ir/plan.ts';

/** Minimum length of a masked line: shorter lines of a secret are common in any log. */
export const MIN_MASKED = 3;

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

/** Finds the secrets among the outputs of steps. */
export class SecretOutputs {
  readonly #isSecret: ReturnType<typeof secretOutputs>;

  constructor(plan: Plan) {
    this.#isSecret = secretOutputs(plan);
  }

  /** The secrets among the outputs of a step that has ended. */
  valuesOf(event: RunEvent): string[] {
    if (event.kind !== 'ended' || event.exit.kind !== 'exited' || event.exit.outputs?.ok !== true) return [];
    const { op } = event;
    const { values, secret } = event.exit.outputs;
    return values.flatMap(([name, value]) => {
      return value !== null && (secret?.has(name) === true || this.#isSecret(op, name)) ? value : [];
    });
  }
}

/** Masks the secrets of a run in the output of its commands: whole values, and each line of a multi-line value. */
export class SecretMask implements Mask {
  readonly #texts = new Set<string>();
  readonly #outputs: SecretOutputs;
  #pattern: RegExp | undefined;
  longest = 0;

  constructor(plan: Plan, env: Readonly<Record<string, string | undefined>>) {
    this.#outputs = new SecretOutputs(plan);
    this.#add(secretValues(plan, env));
  }

  /** Masks a value from now on. */
  hide(value: string): void {
    this.#add([value]);
  }

  /** Must be called before the output of a step is read: the step may have printed a secret that is its output. */
  onEvent(event: RunEvent): void {
    this.#add(this.#outputs.valuesOf(event));
  }

  readonly apply = (text: string): string => {
    if (this.#texts.size === 0) return text;
    this.#pattern ??= patternOf(this.#texts);
    let masked = '';
    let end = -1;
    for (const { index, 1: secret = '' } of text.matchAll(this.#pattern)) {
      if (index > end) masked += `${text.slice(Math.max(end, 0), index)}${MASK}`;
      end = Math.max(end, index + secret.length);
    }
    return masked + text.slice(Math.max(end, 0));
  };

  #add(values: readonly string[]): void {
    for (const value of values) {
      const lines = value.split(/\r\n|\r|\n/).map((line) => withoutControls(line).trim());
      for (const text of [lines.join('\n').trim(), ...lines]) {
        if (text.length < MIN_MASKED || this.#texts.has(text)) continue;
        this.#texts.add(text);
        this.longest = Math.max(this.longest, Buffer.byteLength(text));
        this.#pattern = undefined;
      }
    }
  }
}

/** A pattern that finds the longest text at each position. Its matches are empty, because secrets may overlap. */
function patternOf(texts: ReadonlySet<string>): RegExp {
  const sorted = [...texts].toSorted((one, other) => other.length - one.length);
  const literals = sorted.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  return new RegExp(`(?=(${literals.join('|')}))`, 'g');
}
