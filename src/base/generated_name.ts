/** The name of a step without one, from its number in its workflow. */
export function generatedName(step: number | string): string {
  return `step_${step}`;
}

/** Whether a step has no name in the file. `name` is null for what has none at all, such as a condition. */
export function isUnnamed({ name, step }: Readonly<{ name: string | null; step: number | string | null }>): boolean {
  return step !== null && name === generatedName(step);
}
