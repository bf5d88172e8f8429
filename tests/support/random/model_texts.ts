import type { RandomFile, RandomStep, Variables } from './random_file.ts';

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

/** A text with its references to variables replaced, by their fallbacks where there is no value. */
export function replaceVariables(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replaceAll(
    /\$\{vars\.(\w+):-([^}]*)\}/g,
    (_, name: string, fallback: string) => valueOf(name) ?? fallback,
  );
}

/** A command with names of variables in place of its references; random commands have plain quotes alone. */
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

/** Every output that any step of a file gives, as `step.output`. */
export function declaredOutputs({ workflows }: RandomFile): ReadonlySet<string> {
  const all = workflows.flatMap(({ steps }) =>
    steps.flatMap((step, position) => {
      const outputs = step.kind === 'run' ? (step.outputs ?? []) : [];
      return outputs.map(([output]) => `${nameOf(step, position)}.${output}`);
    }),
  );
  return new Set(all);
}

export function nameOf(step: RandomStep, position: number): string {
  return (step.kind === 'run' ? step.name : undefined) ?? `step_${position + 1}`;
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
  return name === 'MY_TOKEN' ? '***' : value;
}

export function shownOutputs(values: Variables, secret: ReadonlySet<string>): object {
  return Object.fromEntries(values.map(([key, value]) => [key, secret.has(key) ? '***' : shown(key, value)]));
}
