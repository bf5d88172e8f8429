export type TaskFields = ReadonlyMap<unknown, unknown>;

/** The fields of an object, none for any other value. */
export function fieldsOf(value: unknown): TaskFields {
  return value instanceof Map ? value : new Map();
}

/** The items of a list, or a single value as a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** All texts in a value. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return value instanceof Map ? [...value.values()].map(textOf).join('\n') : '';
}
