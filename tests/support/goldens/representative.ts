import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { argvOf, caseOf, casesOf } from './goldens.ts';

/** The fields whose values map names of the author's to values. */
const NAMED = new Set(['workflows', 'env', 'with', 'outputs', 'inputs', 'aliases', 'matrix']);

/** The forms of a value: the combination of fields of each object, and the type of every other value. */
function formsOf(value: unknown, field: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => formsOf(each, `${field}[]`));
  if (typeof value !== 'object' || value === null) return [`${field}: ${typeof value}`];
  const entries = Object.entries(value);
  if (NAMED.has(field)) return entries.flatMap(([, each]) => formsOf(each, `${field}.*`));
  const keys = entries.map(([key]) => key).toSorted();
  return [`${field} {${keys.join()}}`, ...entries.flatMap(([key, each]) => formsOf(each, key))];
}

/** What a case covers: the forms of its file, the flags of its command line, and its exit code. */
function coverage(group: string, name: string): Set<string> {
  const given = caseOf(group, name);
  const read = (file: string): string => readFileSync(join(given.directory, file), 'utf8');
  const flags = argvOf(given).filter((word) => word.startsWith('-'));
  return new Set([...formsOf(parse(read(given.file)), 'file'), ...flags, `exit code ${read('exit.txt')}`]);
}

/**
 * Cases of a group that together cover all forms, flags and exit codes of these cases, without the `excluded` ones. For
 * tests that take a long time per case. ALL_CASES=1 selects every case.
 */
export function representativeCases(group: string, excluded: readonly string[] = []): string[] {
  const names = casesOf(group).filter((name) => !excluded.includes(name));
  if (process.env['ALL_CASES'] === '1') return names;
  const all = new Map(names.map((name) => [name, coverage(group, name)]));
  const missing = new Set(names.flatMap((name) => Array.from(all.get(name) ?? [])));
  const chosen: string[] = [];
  while (missing.size > 0) {
    const gain = (name: string): number => [...(all.get(name) ?? [])].filter((form) => missing.has(form)).length;
    const gains = names.map((name) => ({ name, gain: gain(name) }));
    const { name } = gains.reduce((best, each) => (each.gain > best.gain ? each : best));
    chosen.push(name);
    for (const form of all.get(name) ?? []) missing.delete(form);
  }
  return chosen.toSorted();
}
