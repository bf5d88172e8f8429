import type { RandomFile, Variables } from '../random_file_types.ts';
import { declaredOutputs, isDeclared, replaceReferences, type Reference } from './model_texts.ts';

/** The last execution of a step: its possible and its actual outputs. */
type Giver = Readonly<{ outputs: readonly string[]; values: ReadonlyMap<string, string>; secret: Set<string> }>;

export type GiverEntry = readonly [step: string, giver: Giver];

/** The outputs of a run, and the references to them. */
export class Givers {
  /** References without a step. */
  readonly unresolved = new Set<string>();
  /** The last execution of each step that the current one can refer to. */
  last: ReadonlyMap<string, Giver> = new Map();
  readonly #declared: ReadonlySet<string>;

  constructor(file: RandomFile) {
    this.#declared = declaredOutputs(file);
  }

  /** Records the outputs of a step, and returns the set of its secret ones, which may still grow. */
  give(name: string, outputs: readonly string[], values: Variables = []): Set<string> {
    const secret = new Set<string>();
    this.last = new Map([...this.last, [name, { outputs, values: new Map(values), secret }]]);
    return secret;
  }

  valueOf({ text, step, output, fallback }: Reference, isHook = false): string | undefined {
    const giver = this.last.get(step);
    const isServed = giver?.outputs.includes(output) === true;
    const isOptional = isHook || (fallback !== undefined && giver === undefined);
    if (!isServed && !(isOptional && isDeclared(this.#declared, step, output))) this.unresolved.add(text);
    return (isServed ? giver.values.get(output) : undefined) ?? fallback;
  }

  isMissing(text: string): boolean {
    let missing = false;
    replaceReferences(text, (reference) => {
      missing ||= this.valueOf(reference) === undefined;
      return '';
    });
    return missing;
  }

  filled(variables: Variables): Variables {
    return variables.map(([name, value]) => [name, replaceReferences(value, (each) => this.valueOf(each) ?? '')]);
  }

  /** Marks the outputs secret to which a secret value refers. */
  hide(value: string): void {
    replaceReferences(value, ({ step, output }) => (this.last.get(step)?.secret.add(output), ''));
  }

  /** Visits an unused text, to find references without a step. */
  look(text: string, isHook = false): void {
    replaceReferences(text, (reference) => this.valueOf(reference, isHook) ?? '');
  }
}
