import type { MatrixValue, RandomFile, RandomStep, Variables } from '../random_file_types.ts';

/** A reference as it is written, and its parts. */
export type Reference = Readonly<{ text: string; step: string; output: string; fallback: string | undefined }>;

const PATTERN = String.raw`\$\{steps\.([^{}]*?)\.([A-Za-z_]\w*)(?:\}|:-([^}]*)\})`;

/** A text with its references replaced. */
export function replaceReferences(text: string, valueOf: (reference: Reference) => string): string {
  const pattern = new RegExp(PATTERN, 'g');
  return text.replaceAll(pattern, (found, step: string, output: string, fallback?: string) =>
    valueOf({ text: found, step, output, fallback }),
  );
}

/** A text with its references to variables replaced, by their fallbacks if there is no value. */
export function replaceVariables(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replaceAll(
    /\$\{vars\.(\w+):-([^}]*)\}/g,
    (_, name: string, fallback: string) => valueOf(name) ?? fallback,
  );
}

/** A command with names of variables in place of its references. Random commands have only plain quotes. */
export function rewritten(text: string, nameOf: (reference: Reference) => string): string {
  let quote = '';
  const pattern = new RegExp(`${PATTERN}|["']`, 'g');
  return text.replaceAll(pattern, (found, step?: string, output?: string, fallback?: string) => {
    if (step === undefined || output === undefined) {
      if (quote === '') quote = found;
      else if (quote === found) quote = '';
      return found;
    }
    const name = nameOf({ text: found, step, output, fallback });
    if (quote === '"') return `\${${name}}`;
    return quote === '' ? `"\${${name}}"` : `'"\${${name}}"'`;
  });
}

/** A copy of a step for a combination of its matrix. A step without a matrix is its only copy. */
export type Copy = Readonly<{ variables: Variables; label: string }>;

/** The copies of a step. Copies that differ only in the last variable are adjacent. */
export function copiesOf(step: RandomStep): readonly Copy[] {
  const matrix = step.kind === 'run' || step.kind === 'call' ? (step.matrix ?? []) : [];
  const copies = matrix.reduce<readonly (readonly (readonly [string, MatrixValue])[])[]>(
    (before, [name, values]) => before.flatMap((each) => values.map((value) => [...each, [name, value] as const])),
    [[]],
  );
  return copies.map((choices) => ({
    variables: choices.map(([name, [value]]) => [name, value]),
    label: choices.length === 0 ? '' : ` (${choices.map(([, [, label]]) => label).join(', ')})`,
  }));
}

/** Every output of any step of a file, as `step.output`. For a step with a matrix, the copy is left open. */
export function declaredOutputs({ workflows }: RandomFile): ReadonlySet<string> {
  const outputsOf = (step: RandomStep): readonly string[] => {
    if (step.kind === 'group') return step.members.flatMap(outputsOf);
    if (step.kind !== 'run') return [];
    const copies = step.matrix === undefined ? '' : ' (';
    return (step.outputs ?? []).map(([output]) => `${step.name ?? ''}${copies}.${output}`);
  };
  return new Set(workflows.flatMap(({ steps }) => steps.flatMap(outputsOf)));
}

export function isDeclared(declared: ReadonlySet<string>, step: string, output: string): boolean {
  const copied = step.startsWith('m (') ? ['m ('] : [];
  return [step, ...copied].some((name) => declared.has(`${name}.${output}`));
}

/** The name of a step with a number such as `2`, or `2.1` for a member of a group. */
export function nameOf(step: RandomStep, position: string): string {
  return (step.kind === 'short' ? undefined : step.name) ?? `step_${position}`;
}

export function dirOf(step: RandomStep): string | undefined {
  return step.kind === 'short' ? undefined : step.dir;
}

export function conditionOf(step: RandomStep): string | undefined {
  const condition = step.kind === 'short' ? undefined : step.if;
  return condition === undefined || condition.trim() === '' ? undefined : condition;
}

/** The variable that a condition names, if it is one. */
export function bareName(condition: string): string | undefined {
  const word = condition.trim();
  const isName = /^[A-Za-z_]\w*$/.test(word) && !['true', 'false'].includes(word);
  return isName ? word : undefined;
}

/** The words of a condition that could name variables. */
export function namesIn(condition: string): readonly string[] {
  return replaceReferences(condition, () => ' ').match(/[A-Za-z_]\w*/g) ?? [];
}

export function shown(name: string, value: string): string {
  return name === 'MY_TOKEN' || name === 'M_TOKEN' ? '***' : value;
}

export function shownOutputs(values: Variables, secret: ReadonlySet<string>): object {
  return Object.fromEntries(values.map(([key, value]) => [key, secret.has(key) ? '***' : shown(key, value)]));
}
