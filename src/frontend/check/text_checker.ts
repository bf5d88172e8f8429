import type { CommandText, ListedSecret, SourceText } from '../ast.ts';
import type { OutputSource } from '../schema/option_fields.ts';
import type { Owner } from '../diagnostics/diagnostic.ts';
import type { ReferringText } from '../references/missing_steps.ts';
import type { ReferenceParser } from '../references/reference_parser.ts';
import type { StepReference } from '../references/step_references.ts';
import { FilePath, HookFields, VariableName } from '../schema/schema.ts';
import type { JsonNode } from '../syntax/json_tree.ts';
import { rangeAt, rangeOf, type SourceRange } from '../syntax/source_range.ts';
import { findBareComparison, findConditionProblem } from '../syntax/condition_syntax.ts';
import type { Members, ShapeChecker } from './shape_checker.ts';

export const NO_REFERENCES: readonly StepReference[] = [];
/** `$NAME` or the beginning of `${NAME}`. */
const VARIABLE = /\$\{?[A-Za-z_]/;
/** An expression of GitHub Actions. */
const EXPRESSION = /\$\{\{[^{}]*\}\}/;

/** A text without a match has no references. */
const MAY_REFER = /steps\.|\$\{vars\./;

/** A condition that consists of one expanded variable. */
const EXPANDED_CONDITION = /^\s*"?\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?"?\s*$/;

/** Checks the texts of a file: commands, conditions and values, with their references. */
export class TextChecker {
  /** The texts that refer to outputs or variables. */
  readonly referring: ReferringText[] = [];
  readonly shapes: ShapeChecker;
  readonly #parser: ReferenceParser | undefined;
  /** Valid names of secrets: many steps list the same, and a check takes longer than the rest. */
  readonly #secretNames = new Set<string>();

  constructor(shapes: ShapeChecker, parser: ReferenceParser | undefined) {
    this.shapes = shapes;
    this.#parser = parser;
  }

  /** The parser of references and JSON paths. It is present for every file that has either. */
  get parser(): ReferenceParser {
    if (this.#parser === undefined) throw new Error('the file was read without the reference parser');
    return this.#parser;
  }

  /**
   * The command of a field: a string, or the lines of a script, with the secrets that are listed beside it. Undefined if
   * the field is absent or invalid. Messages put `prefix` before the names of fields.
   */
  command(members: Members, field: string, owner: Owner, prefix = ''): CommandText | undefined {
    const secrets = this.listed(members.get('secrets')?.value, `${prefix}secrets`, owner);
    const command = this.#script(members, field, `${prefix}${field}`, owner);
    return command && withSecrets(command, secrets);
  }

  /**
   * The secrets in the list beside a command, each once; undefined without any. Messages call the list `shown`. The field
   * of that name of a file is no list.
   */
  listed(list: JsonNode | undefined, shown: string, owner: Owner): readonly ListedSecret[] | undefined {
    if (list?.kind !== 'array') return undefined;
    const listed = new Map<string, ListedSecret>();
    for (const [index, item] of list.items.entries()) {
      const isKnown = item.kind === 'string' && this.#secretNames.has(item.value);
      const isName = isKnown || this.shapes.checkValue(item, VariableName, `${shown}[${index}]`, owner);
      if (!isName || item.kind !== 'string') continue;
      this.#secretNames.add(item.value);
      listed.set(item.value, { name: item.value, range: rangeOf(item) });
    }
    return listed.size === 0 ? undefined : [...listed.values()];
  }

  #script(members: Members, field: string, shown: string, owner: Owner): SourceText | undefined {
    const node = members.get(field)?.value;
    if (node?.kind === 'string') return this.commandText(node.value, rangeOf(node), shown, owner);
    const nodes = node?.kind === 'array' ? this.shapes.scriptLines(node, shown, owner) : undefined;
    if (node === undefined || nodes === undefined) return undefined;
    const text = nodes.map(({ value }) => value).join('\n');
    return this.commandText(text, rangeOf(node), shown, owner, nodes.map(rangeOf));
  }

  /** The command of a hook; undefined if it is absent, invalid or blank. */
  hook(members: Members, field: string, owner: Owner): CommandText | undefined {
    const node = members.get(field)?.value;
    const prefix = `${field}.`;
    const command =
      node?.kind === 'object'
        ? this.command(this.shapes.checkFields(node, HookFields, owner, prefix).members, 'run', owner, prefix)
        : this.command(members, field, owner);
    return command === undefined || command.text.trim() === '' ? undefined : command;
  }

  /** The text of a field; undefined if it is absent, not a string, or blank. */
  #unlessBlank(members: Members, field: string, owner: Owner): SourceText | undefined {
    const text = this.#script(members, field, field, owner);
    return text === undefined || text.text.trim() === '' ? undefined : text;
  }

  /** A step's condition; undefined if it is absent, not a string, or blank. */
  condition(members: Members, owner: Owner): SourceText | undefined {
    const condition = this.#unlessBlank(members, 'if', owner);
    if (condition === undefined) return undefined;
    const [, variable] = EXPANDED_CONDITION.exec(condition.text) ?? [];
    if (variable !== undefined) {
      this.shapes.diagnostics.warn({ code: 'condition expands', variable }, owner, condition.range);
    }
    this.#checkSyntax(condition, owner);
    this.#checkReferenceAlone(condition, owner);
    return condition;
  }

  /** A text for the shell. */
  commandText(
    text: string,
    range: SourceRange,
    field: string,
    owner: Owner,
    lines?: readonly SourceRange[],
  ): SourceText {
    const plain = { text, range, references: NO_REFERENCES };
    const source = lines === undefined ? plain : { ...plain, lines };
    if (!MAY_REFER.test(text)) return source;
    const { references, problems } = this.parser.findReferences(text);
    for (const { start, end, problem } of problems) {
      const problemRange = rangeAt(source, start);
      this.#failReference(text.slice(start, end), this.parser.problemWords[problem], field, owner, problemRange);
    }
    const placed = lines && references.map((each) => ({ ...each, range: rangeAt(source, each.start) }));
    return this.#referring({ ...source, references: placed ?? references }, field, owner);
  }

  /**
   * The value of a variable, of `ready`, or a question. It may refer to variables and, in `with`, `ready` and `confirm`, to
   * outputs. Messages do not quote the value,
   * because it may be a secret.
   */
  valueText(text: string, range: SourceRange, field: string, owner: Owner): SourceText {
    const source = { text, range, references: NO_REFERENCES };
    const allowsOutputs = /^(?:with\.|ready\.|confirm$)/.test(field);
    // An argument of a program may be code in which a variable has a meaning.
    const isArgument = field.startsWith('secrets.');
    const warn = (rest: string): void => {
      const refers = !allowsOutputs && rest.includes('${steps.');
      const isHome = field === 'dir' && /^~(?:\/|$)/.test(rest);
      if (isArgument ? !refers : !EXPRESSION.test(rest) && !VARIABLE.test(rest) && !isHome) return;
      const plain = EXPRESSION.test(rest) ? 'expression' : refers ? 'reference' : 'value';
      const special = { dir: 'directory', confirm: 'question' } as const;
      const own = field === 'dir' || field === 'confirm' ? special[field] : plain;
      const kind = isHome ? 'home' : isArgument ? 'argument' : own;
      this.shapes.diagnostics.warn({ code: 'value not expanded', field, kind }, owner, range);
    };
    if (!MAY_REFER.test(text)) {
      warn(text);
      return source;
    }
    const { references: outputs, variables, problems } = this.parser.findInValue(text);
    // Outside `with`, a reference to an output is plain text.
    const references = allowsOutputs ? outputs : NO_REFERENCES;
    const broken = problems.filter(({ start }) => allowsOutputs || text.startsWith('${vars.', start));
    for (const { start, problem } of broken) {
      const shown = text.startsWith('${vars.', start) ? '${vars.…}' : '${steps.…}';
      this.#failReference(shown, this.parser.problemWords[problem], field, owner, range);
    }
    if (broken.length === 0) warn(without(text, [...references, ...variables]));
    return this.#referring({ ...source, references, ...(variables.length > 0 && { variables }) }, field, owner);
  }

  /** The part of a standard output that is a value; undefined if the path is invalid. */
  outputSource(text: string, range: SourceRange, field: string, owner: Owner): OutputSource | undefined {
    if (text === 'text') return text;
    const parsed = this.parser.parseJsonPath(text);
    if (parsed.ok) return parsed.value;
    for (const problem of parsed.problems)
      this.shapes.diagnostics.fail({ code: 'bad path', field, ...problem }, owner, range);
    return undefined;
  }

  /** The file paths in a field, which holds a path or an array of paths. They may refer to variables. */
  paths(members: Members, field: string, owner: Owner): readonly SourceText[] {
    const node = members.get(field)?.value;
    if (node?.kind === 'string') return [this.#path(node.value, rangeOf(node), field, owner)];
    if (node?.kind !== 'array') return [];
    return node.items.flatMap((item, index) => {
      const isValid = this.shapes.checkValue(item, FilePath, `${field}[${index}]`, owner);
      return isValid && item.kind === 'string'
        ? this.#path(item.value, rangeOf(item), `${field}[${index}]`, owner)
        : [];
    });
  }

  #path(path: string, range: SourceRange, field: string, owner: Owner): SourceText {
    if (path.includes('${vars.')) return this.valueText(path, range, field, owner);
    if (looksExpanded(path))
      this.shapes.diagnostics.warn({ code: 'value not expanded', field, kind: 'path' }, owner, range);
    return { text: path, range, references: NO_REFERENCES };
  }

  /** The directory of a `dir` field, which may refer to variables. Undefined if the field is absent or not a string. */
  directory(members: Members, owner: Owner): SourceText | undefined {
    const node = members.get('dir')?.value;
    return node?.kind === 'string' ? this.valueText(node.value, rangeOf(node), 'dir', owner) : undefined;
  }

  /** The name of the lock of a workflow, which may refer to variables. Undefined without one. */
  lock(members: Members, owner: Owner): SourceText | undefined {
    const node = members.get('lock')?.value;
    if (node?.kind === 'string') return this.valueText(node.value, rangeOf(node), 'lock', owner);
    const isNamed = node?.kind === 'boolean' && node.value;
    return isNamed ? { text: owner.workflow, range: rangeOf(node), references: NO_REFERENCES } : undefined;
  }

  /** The question of a step, if it contains references. */
  question(members: Members, owner: Owner): SourceText | undefined {
    const node = members.get('confirm')?.value;
    if (node?.kind !== 'string') return undefined;
    const question = this.valueText(node.value, rangeOf(node), 'confirm', owner);
    return question.references.length > 0 || question.variables !== undefined ? question : undefined;
  }

  /** Reports conditions in the syntax of another tool, or with unterminated quotes. */
  #checkSyntax({ text, range }: SourceText, owner: Owner): void {
    const problem = findConditionProblem(text);
    const comparison = findBareComparison(text);
    if (problem !== undefined) this.shapes.diagnostics.fail({ code: 'bad condition', problem }, owner, range);
    else if (comparison !== undefined)
      this.shapes.diagnostics.fail({ code: 'bare comparison', ...comparison }, owner, range);
  }

  /** Reports a condition that is a single reference: it would run the output as a command. */
  #checkReferenceAlone({ text, range, references: [first] }: SourceText, owner: Owner): void {
    if (first === undefined) return;
    if (!/^\s*"?$/.test(text.slice(0, first.start)) || !/^"?\s*$/.test(text.slice(first.end))) return;
    this.#failReference(text.slice(first.start, first.end), this.parser.inCondition(first), 'if', owner, range);
  }

  #failReference(reference: string, problem: string, field: string, owner: Owner, range: SourceRange): void {
    this.shapes.diagnostics.fail({ code: 'bad reference', field, reference, problem }, owner, range);
  }

  #referring(text: SourceText, field: string, owner: Owner): SourceText {
    if (text.references.length > 0 || text.variables !== undefined) this.referring.push({ text, field, owner });
    return text;
  }
}

/** A command with the secrets that it lists, if any. */
export function withSecrets(command: SourceText, secrets: readonly ListedSecret[] | undefined): CommandText {
  return secrets === undefined ? command : { ...command, secrets };
}

/** Whether a path contains what a shell would expand. */
export function looksExpanded(path: string): boolean {
  return VARIABLE.test(path) || path.startsWith('~/');
}

/** A text with the given ranges cut out. */
function without(text: string, ranges: readonly SourceRange[]): string {
  let end = 0;
  const parts = ranges
    .toSorted((one, other) => one.start - other.start)
    .map((range) => {
      const part = text.slice(end, range.start);
      end = range.end;
      return part;
    });
  return [...parts, text.slice(end)].join(' ');
}
