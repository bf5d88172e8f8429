import { COMMAND_FIELDS, COPY_FIELDS, GROUP_FIELDS, KIND_FIELDS } from './schema.ts';

/** The kinds of steps: the field that defines the kind, and the fields specific to it. */
export const KINDS = {
  run: [...COMMAND_FIELDS, ...COPY_FIELDS],
  workflow: COPY_FIELDS,
  parallel: GROUP_FIELDS,
} as const;

/** Whether a field is limited to some kinds of steps. */
export function isOfOneKind(field: string): boolean {
  return [...KIND_FIELDS, ...COMMAND_FIELDS, ...COPY_FIELDS, ...GROUP_FIELDS].includes(field);
}

/** The message for a field that does not apply to a kind of step. */
export function refusalOf(field: string, kind: keyof typeof KINDS): string {
  if (KIND_FIELDS.includes(field)) return `'${field}' and '${kind}' are mutually exclusive.`;
  if (COPY_FIELDS.includes(field)) return "Applies only to steps with 'run' or 'workflow'.";
  return `Applies only to steps with '${COMMAND_FIELDS.includes(field) ? 'run' : 'parallel'}'.`;
}
