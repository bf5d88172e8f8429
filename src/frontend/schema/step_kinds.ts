import { COMMAND_FIELDS, COPY_FIELDS, GROUP_FIELDS, KIND_FIELDS } from './schema.ts';

/** The kinds of steps: their field, and the fields that only they have. */
export const KINDS = {
  run: [...COMMAND_FIELDS, ...COPY_FIELDS],
  workflow: COPY_FIELDS,
  parallel: GROUP_FIELDS,
} as const;

/** Whether only steps of one kind have a field. */
export function isOfOneKind(field: string): boolean {
  return [...KIND_FIELDS, ...COMMAND_FIELDS, ...COPY_FIELDS, ...GROUP_FIELDS].includes(field);
}

/** The message for a field that a step of a kind cannot have. */
export function refusalOf(field: string, kind: keyof typeof KINDS): string {
  if (KIND_FIELDS.includes(field)) return `'${field}' and '${kind}' are mutually exclusive.`;
  if (COPY_FIELDS.includes(field)) return "Applies only to steps with 'run' or 'workflow'.";
  return `Applies only to steps with '${COMMAND_FIELDS.includes(field) ? 'run' : 'parallel'}'.`;
}
