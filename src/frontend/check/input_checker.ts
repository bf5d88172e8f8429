import type { Input } from '../ast.ts';
import { booleanValue } from '../../base/boolean_value.ts';
import { redactKey } from '../diagnostics/diagnostic.ts';
import type { InputContradiction, NamedPlace, Owner } from '../diagnostics/diagnostic.ts';
import { InputFields, type EveryField } from '../schema/schema.ts';
import type { JsonNode, Member } from '../syntax/json_tree.ts';
import type { ShapeChecker } from './shape_checker.ts';

/** The valid inputs of a field; null if the field is absent. The names of all are added to `places`. */
export function inputsOf(
  shapes: ShapeChecker,
  field: Member | undefined,
  owner: Owner,
  places: NamedPlace[],
): readonly Input[] | null {
  if (field?.value.kind !== 'object') return null;
  return [...shapes.uniqueMembers(field.value, owner)].flatMap((member) => {
    return member.key.startsWith('x-') ? [] : inputOf(shapes, member, owner, places);
  });
}

/** The input; empty if it is invalid. */
function inputOf(shapes: ShapeChecker, member: Member, owner: Owner, places: NamedPlace[]): Input[] {
  const { key: name, value: node, range } = member;
  const field = `inputs.${redactKey(name)}`;
  const isNamed = shapes.checkVariableName(member, 'inputs', owner);
  places.push({ name, owner, range });
  if (!shapes.isObject(node, `'${field}'`, owner)) return [];
  const { values, members } = shapes.checkFields(node, InputFields, owner, `${field}.`);
  const listed = members.get('options');
  const options = optionsOf(shapes, listed?.value, `${field}.options`, owner);
  if (values === undefined || options === undefined) return [];
  const fields: EveryField<typeof InputFields, Input> = {
    description: values.description ?? '',
    required: values.required ?? false,
    default: textOf(values.default, values.type),
    type: values.type ?? (listed === undefined ? 'string' : 'choice'),
    options,
    secret: values.secret ?? false,
  };
  const input = { name, ...fields };
  const problem = problemOf(input, members.has('options'), values.default);
  if (problem === undefined) return isNamed ? [input] : [];
  shapes.diagnostics.fail({ code: 'bad input', field, problem }, owner, range);
  return [];
}

/** The options; undefined if any is invalid. */
function optionsOf(
  shapes: ShapeChecker,
  node: JsonNode | undefined,
  field: string,
  owner: Owner,
): readonly string[] | undefined {
  if (node?.kind !== 'array') return [];
  const options = shapes.texts(node, `'${field}'`, owner).map(({ value }) => value);
  return options.length === node.items.length ? options : undefined;
}

/** The default as text. A boolean's default becomes `true` or empty; an invalid one stays as written. */
function textOf(value: string | boolean | undefined, type: Input['type'] | undefined): string | null {
  if (value === undefined) return null;
  const text = String(value);
  const yes = type === 'boolean' ? booleanValue(text) : undefined;
  if (yes === undefined) return text;
  return yes ? 'true' : '';
}

/** The first contradiction between the fields of an input. */
function problemOf(
  input: Input,
  hasOptions: boolean,
  preset: string | boolean | undefined,
): InputContradiction | undefined {
  if (input.required && preset !== undefined) return 'required with default';
  if (input.type !== 'choice' && hasOptions) return 'options without choice';
  if (input.type === 'choice' && input.options.length === 0) return 'choice without options';
  if (typeof preset === 'boolean' && input.type !== 'boolean') return 'boolean default';
  if (input.type === 'boolean' && input.default !== null && !['', 'true'].includes(input.default)) {
    return 'default is no boolean';
  }
  const isOption = input.default === null || input.options.includes(input.default);
  return input.type === 'choice' && !isOption ? 'default is no option' : undefined;
}
