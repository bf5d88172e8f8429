import type { Matrix, SourceText, Step, Variables } from '../../frontend/ast.ts';
import { isSecret } from '../secret_names.ts';

/** A combination of the values of a matrix. `label` identifies it: `linux, 20`. */
export type Combination = Readonly<{ label: string; variables: Variables }>;

type Choice = Readonly<{ name: string; value: SourceText; label: string }>;

/** Yields the combinations of a matrix. The last variable varies fastest. */
export function* combinationsOf(matrix: Matrix): Generator<Combination> {
  const columns = [...matrix].map(([name, values]) => {
    return values.map((value, index): Choice => ({ name, value, label: labelOf(name, value.text, index) }));
  });
  const count = Number(countCombinations(matrix));
  for (let index = 0; index < count; index += 1) {
    let rest = index;
    const choices: Choice[] = [];
    for (const column of columns.toReversed()) {
      const choice = column[rest % column.length];
      if (choice !== undefined) choices.unshift(choice);
      rest = Math.floor(rest / column.length);
    }
    const variables = new Map(choices.map(({ name, value }) => [name, value]));
    yield { label: choices.map(({ label }) => label).join(', '), variables };
  }
}

/** The number of combinations, which can be arbitrarily large; 1 for a step without a matrix. */
export function countCombinations(matrix: Matrix | null): bigint {
  return [...(matrix?.values() ?? [])].reduce((count, { length }) => count * BigInt(length), 1n);
}

/** The names of the steps that a step becomes: its own, or one for each combination. */
export function* namesOf({ name, matrix }: Step): Generator<string> {
  if (matrix === null) yield name;
  else for (const { label } of combinationsOf(matrix)) yield copyName(name, label);
}

/** The name or number of a copy of a step. */
export function copyName(step: string | number, label: string): string {
  return `${step} (${label})`;
}

/** A value as a part of a name. Labels of different combinations differ. A secret is replaced by its position. */
export function labelOf(name: string, value: string, index: number): string {
  if (isSecret(name)) return `#${index + 1}`;
  return value === '' || /[,"()#{}\p{Cc}]|^\s|\s$/u.test(value) ? JSON.stringify(value) : value;
}
