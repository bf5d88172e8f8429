import type { SecretSource, Secrets, SourceText } from '../../ast.ts';
import type { OutputSource } from '../../schema/option_fields.ts';
import type { Owner, redactKey } from '../../diagnostics/diagnostic.ts';
import type { durationOf } from '../../schema/duration.ts';
import type { EveryField, PlainText, SecretFields } from '../../schema/schema.ts';
import type { JsonNode, Member } from '../../syntax/json_tree.ts';
import { rangeOf } from '../../syntax/source_range.ts';
import type { ShapeChecker } from '../shape_checker.ts';
import type { TextChecker } from '../text_checker.ts';

/** The time limit of a program that prints a secret. */
const DEFAULT_TIMEOUT = '1m';

/** The shapes of secrets, and functions. Given, so that this part of the program does not repeat them. */
type Shared = Readonly<{ SecretFields: typeof SecretFields; PlainText: typeof PlainText }> &
  Readonly<{ durationOf: typeof durationOf; redactKey: typeof redactKey }>;

/** Checks the secrets that files declare. */
export class SecretChecker {
  readonly #shapes: ShapeChecker;
  readonly #texts: TextChecker;
  readonly #shared: Shared;

  constructor(shapes: ShapeChecker, texts: TextChecker, shared: Shared) {
    this.#shared = shared;
    this.#shapes = shapes;
    this.#texts = texts;
  }

  /** The secrets of a field. An invalid one counts as declared, so that its uses are no further errors. */
  secrets(field: Member | undefined, owner: Owner): Secrets {
    const secrets = new Map<string, SecretSource>();
    if (field?.value.kind !== 'object') return secrets;
    for (const member of this.#shapes.uniqueMembers(field.value, owner)) {
      if (member.key.startsWith('x-')) continue;
      const { range } = member;
      secrets.set(member.key, this.#source(member, owner) ?? { command: [], value: 'text', timeout: 0, range });
    }
    return secrets;
  }

  #source(member: Member, owner: Owner): SecretSource | undefined {
    const { key, value: node, range } = member;
    const name = `secrets.${this.#shared.redactKey(key)}`;
    const isNamed = this.#shapes.checkVariableName(member, 'secrets', owner);
    if (!this.#shapes.isObject(node, `'${name}'`, owner)) return undefined;
    const { values, members } = this.#shapes.checkFields(node, this.#shared.SecretFields, owner, `${name}.`);
    const command = this.#command(members.get('command')?.value, `${name}.command`, owner);
    const value = this.#value(members.get('value')?.value, `${name}.value`, owner);
    if (values === undefined || command === undefined || value === undefined || !isNamed) return undefined;
    const fields: EveryField<typeof SecretFields, SecretSource> = {
      command,
      value,
      timeout: this.#shared.durationOf(values.timeout ?? DEFAULT_TIMEOUT),
    };
    return { ...fields, range };
  }

  /** The program and its arguments; undefined if any is invalid. */
  #command(node: JsonNode | undefined, name: string, owner: Owner): readonly SourceText[] | undefined {
    if (node?.kind !== 'array') return undefined;
    const [program] = node.items;
    const isEmpty = program === undefined || (program.kind === 'string' && program.value === '');
    if (isEmpty) this.#shapes.failRule(program ?? node, 'not empty', `'${name}${program ? '[0]' : ''}'`, owner);
    const texts = node.items.flatMap((item, index) => {
      const shown = `${name}[${index}]`;
      const isText = this.#shapes.checkValue(item, this.#shared.PlainText, shown, owner);
      return isText && item.kind === 'string' ? this.#texts.valueText(item.value, rangeOf(item), shown, owner) : [];
    });
    return isEmpty || texts.length < node.items.length ? undefined : texts;
  }

  /** The part of the output that is the value; undefined if it is invalid. */
  #value(node: JsonNode | undefined, name: string, owner: Owner): OutputSource | undefined {
    if (node === undefined) return 'text';
    return node.kind === 'string' ? this.#texts.outputSource(node.value, rangeOf(node), name, owner) : undefined;
  }
}
