import type { Tool } from '@modelcontextprotocol/server';
import { LAST_LINES } from '../../../../src/internal.ts';
import type { Inputs } from '../runs/proposal.ts';

/** The types of the values of inputs. */
const VALUES: readonly ('string' | 'boolean' | 'number')[] = ['string', 'boolean', 'number'];

/** The arguments of all tools. A name means the same in each of them. */
const FIELDS = {
  filter: { type: 'string', description: 'Part of a name' },
  workflow: { type: 'string' },
  inputs: {
    type: 'object',
    // Some hosts reject a list of types.
    additionalProperties: { anyOf: VALUES.map((type) => ({ type })) },
    description: 'Declared inputs and their values; secret ones come from the environment of the server',
  },
  plan_digest: { type: 'string', description: 'Digest of plan_workflow: run this plan or none' },
  run: { type: 'string', description: 'Id of a run' },
  step: { type: 'string', description: 'Show the output of this step' },
  lines: { type: 'integer', minimum: 1, maximum: 400, description: `Lines of output, ${LAST_LINES} by default` },
  wait_s: { type: 'integer', minimum: 0, maximum: 50, description: 'Seconds to wait for its end' },
} as const;

type Fields = typeof FIELDS;
type FieldName = keyof Fields;

type ValueOf<Field> =
  Field extends Readonly<{ type: 'string' }> ? string : Field extends Readonly<{ type: 'integer' }> ? number : Inputs;

type ToolSpec = Readonly<{
  description: string;
  reads: boolean;
  required: readonly FieldName[];
  optional: readonly FieldName[];
}>;

const SPECS = {
  list_workflows: {
    description: 'List the workflows that an agent may run, with their inputs.',
    reads: true,
    required: [],
    optional: ['filter'],
  },
  plan_workflow: {
    description:
      'Show what a run would do, without running it: every command, and who has to agree (agents: ask or allow).',
    reads: true,
    required: ['workflow'],
    optional: ['inputs'],
  },
  run_workflow: {
    description:
      'Run a workflow. With agents: ask, a person approves its plan first. Answers when it ends, or after wait_s (20 by default) with state running; then call get_run.',
    reads: false,
    required: ['workflow'],
    optional: ['inputs', 'plan_digest', 'wait_s'],
  },
  get_run: {
    description:
      'Show the state of a run, and the last output of its failing, running or given step. Without run: the newest runs.',
    reads: true,
    required: [],
    optional: ['run', 'step', 'lines', 'wait_s'],
  },
  resume_run: {
    description: 'Run the rest of a failed or interrupted run, after approval as for run_workflow.',
    reads: false,
    required: ['run'],
    optional: ['wait_s'],
  },
  cancel_run: {
    description: 'Interrupt a run that an agent started; its hooks run.',
    reads: false,
    required: ['run'],
    optional: [],
  },
} as const satisfies Record<string, ToolSpec>;

type Specs = typeof SPECS;
export type ToolName = keyof Specs;

/** The arguments of a tool. */
export type ArgumentsOf<Name extends ToolName> = {
  readonly [Field in Specs[Name]['required'][number]]: ValueOf<Fields[Field]>;
} & { readonly [Field in Specs[Name]['optional'][number]]?: ValueOf<Fields[Field]> };

export const isToolName = (name: string): name is ToolName => Object.hasOwn(SPECS, name);

const TOOL_NAMES = Object.keys(SPECS).filter(isToolName);

/** The answer to `tools/list`. */
export function listedTools(): Tool[] {
  return TOOL_NAMES.map((name) => {
    const { description, reads, required, optional }: ToolSpec = SPECS[name];
    const properties = Object.fromEntries([...required, ...optional].map((field) => [field, FIELDS[field]]));
    const needed = required.length === 0 ? {} : { required: [...required] };
    return {
      name,
      description,
      inputSchema: { type: 'object', properties, ...needed, additionalProperties: false },
      annotations: reads ? { readOnlyHint: true } : { destructiveHint: true },
    };
  });
}

/** The reason why the arguments of a tool do not fit its schema; undefined if they do. */
export function argumentProblem(tool: ToolName, given: object): string | undefined {
  const { required, optional }: ToolSpec = SPECS[tool];
  const known = new Set<string>([...required, ...optional]);
  const values = new Map<string, unknown>(Object.entries(given));
  const unknown = [...values.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) return `unknown argument '${unknown}'`;
  const missing = required.find((name) => !values.has(name));
  if (missing !== undefined) return `the argument '${missing}' is missing`;
  return [...required, ...optional].flatMap((name) =>
    values.has(name) ? (valueProblem(name, values.get(name)) ?? []) : [],
  )[0];
}

/** Whether the arguments of a tool fit its schema. */
export function areArguments<Name extends ToolName>(tool: Name, given: object): given is ArgumentsOf<Name> {
  return argumentProblem(tool, given) === undefined;
}

function valueProblem(name: FieldName, value: unknown): string | undefined {
  const field = FIELDS[name];
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? undefined : `'${name}' must be a string`;
    case 'integer': {
      const { minimum, maximum } = field;
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
      return fits ? undefined : `'${name}' must be a whole number from ${minimum} to ${maximum}`;
    }
    case 'object': {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      const types: readonly string[] = VALUES;
      const fits = isObject && Object.values(value).every((each) => types.includes(typeof each));
      return fits ? undefined : `'${name}' must be an object of strings, booleans and numbers`;
    }
  }
}
