import type { SecretSource, Secrets, SourceText } from '../../ast.ts';
import type { OutputSource } from '../../schema/option_fields.ts';
import type { Owner, redactKey } from '../../diagnostics/diagnostic.ts';
import type { durationOf } from '../../schema/duration.ts';
import type { EveryField, PlainText, SecretFields } from '../../schema/schema.ts';
import type { JsonNode, Member } from '../../syntax/json_tree.ts';
import { rangeOf } from '../../syntax/source_range.ts';
import type { TextChecker } from '../text_checker.ts';

/** The time limit of a program that prints a secret. */
const DEFAULT_TIMEOUT = '1m';

/** The shapes of secrets, and functions. Given, so that this part of the program does not repeat them. */
type Shared = Readonly<{ SecretFields: typeof SecretFields; PlainText: typeof PlainText }> &
  Readonly<{ durationOf: typeof durationOf; redactKey: typeof redactKey }>;

/** The secrets of a field. An invalid one counts as declared, so that its uses are no further errors. */
export function secretsOf(texts: TextChecker, field: Member | undefined, owner: Owner, shared: Shared): Secrets {
  const secrets = new Map<string, SecretSource>();
  if (field?.value.kind !== 'object') return secrets;
  for (const member of texts.shapes.uniqueMembers(field.value, owner)) {
    if (member.key.startsWith('x-')) continue;
    const { range } = member;
    secrets.set(
      member.key,
      sourceOf(texts, member, owner, shared) ?? { command: [], value: 'text', timeout: 0, range },
    );
  }
  return secrets;
}

function sourceOf(texts: TextChecker, member: Member, owner: Owner, shared: Shared): SecretSource | undefined {
  const { key, value: node, range } = member;
  const name = `secrets.${shared.redactKey(key)}`;
  const isNamed = texts.shapes.checkVariableName(member, 'secrets', owner);
  if (!texts.shapes.isObject(node, `'${name}'`, owner)) return undefined;
  const { values, members } = texts.shapes.checkFields(node, shared.SecretFields, owner, `${name}.`);
  const command = commandOf(texts, members.get('command')?.value, `${name}.command`, owner, shared.PlainText);
  const value = valueOf(texts, members.get('value')?.value, `${name}.value`, owner);
  if (values === undefined || command === undefined || value === undefined || !isNamed) return undefined;
  const fields: EveryField<typeof SecretFields, SecretSource> = {
    command,
    value,
    timeout: shared.durationOf(values.timeout ?? DEFAULT_TIMEOUT),
  };
  return { ...fields, range };
}

/** The program and its arguments; undefined if any is invalid. */
function commandOf(
  texts: TextChecker,
  node: JsonNode | undefined,
  name: string,
  owner: Owner,
  text: Shared['PlainText'],
): readonly SourceText[] | undefined {
  if (node?.kind !== 'array') return undefined;
  const [program] = node.items;
  const isEmpty = program === undefined || (program.kind === 'string' && program.value === '');
  if (isEmpty) texts.shapes.failRule(program ?? node, 'not empty', `'${name}${program ? '[0]' : ''}'`, owner);
  const found = node.items.flatMap((item, index) => {
    const shown = `${name}[${index}]`;
    const isText = texts.shapes.checkValue(item, text, shown, owner);
    return isText && item.kind === 'string' ? texts.valueText(item.value, rangeOf(item), shown, owner) : [];
  });
  return isEmpty || found.length < node.items.length ? undefined : found;
}

/** The part of the output that is the value; undefined if it is invalid. */
function valueOf(texts: TextChecker, node: JsonNode | undefined, name: string, owner: Owner): OutputSource | undefined {
  if (node === undefined) return 'text';
  return node.kind === 'string' ? texts.outputSource(node.value, rangeOf(node), name, owner) : undefined;
}
