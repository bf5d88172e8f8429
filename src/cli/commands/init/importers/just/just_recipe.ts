import { items, stringOf, memberOf, type JsonNode } from '../../../../../frontend/syntax/json_tree.ts';
import { LeftOut, attempt, type ImportedStep } from '../../imported.ts';
import { commandFor, otherShell, type OtherShell } from '../../other_shell.ts';
import { shellText, type TemplatePart, type Use } from '../../shell_template.ts';
import { checkedStep, literalPatterns, type FileCheck } from '../../checked_step.ts';
import type { JustValue } from './just_expressions.ts';

/** How a recipe is converted. `script` is the shell of the attribute `script`. */
export type RecipeContext = Readonly<{
  shell: OtherShell;
  script: OtherShell | undefined;
  toParts: (expression: JsonNode | undefined) => readonly TemplatePart[];
  /** The call that a line `just …` makes, undefined if it has to remain a command. */
  toCall: (words: readonly string[]) => ImportedStep | undefined;
  used: Map<string, string>;
  note: (part: Exclude<TemplatePart, string>, use: Use) => void;
}>;

/** Words that have no meaning for the shell, and variables. */
const PLAIN_WORDS = /^(?:[\w./:@%+,=\s-]|\$\{vars\.\w+\})*$/;

/** `#!/bin/sh`, `#!/usr/bin/env bash` and the like, perhaps with options. */
const SHEBANG = /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?)?(\S+)((?:\s+\S+)*)\s*$/;

/** The body of a recipe as steps: one for each line, or a single one for a script. */
export function recipeSteps(body: JsonNode | undefined, isScript: boolean, context: RecipeContext): ImportedStep[] {
  const lines = items(body).map((line) => lineParts(line, context));
  if (isScript) return script(lines, context);
  return joinedLines(lines).flatMap((line) => lineSteps(line, context));
}

/** The fragments of a line: text, and expressions in `{{…}}`. */
function lineParts(line: JsonNode, { toParts }: RecipeContext): TemplatePart[] {
  return items(line).flatMap((fragment) => {
    const text = stringOf(fragment);
    return text === undefined ? toParts(items(fragment)[0]) : [text.replaceAll('{{{{', '{{')];
  });
}

function script(lines: readonly TemplatePart[][], context: RecipeContext): ImportedStep[] {
  const [first = []] = lines;
  const [begin = ''] = first;
  const [, program = '', options = ''] =
    SHEBANG.exec(typeof begin === 'string' && first.length === 1 ? begin : '') ?? [];
  const shell = context.script ?? otherShell(program, options.split(/\s+/).filter(Boolean));
  if (shell === undefined) throw new LeftOut('it is a script in another language');
  const parts = (context.script === undefined ? lines.slice(1) : lines).flatMap((line) => line.concat('\n'));
  const text = shellText(parts, context.used, context.note).replace(/\s+$/, '');
  if (/\$\{?(?:0|BASH_SOURCE)/.test(text)) throw new LeftOut('it uses the path of its script');
  return /^\s*$/.test(text) ? [] : [{ run: commandFor(shell, text) }];
}

/** The lines, joined where a backslash continues one. */
function joinedLines(lines: readonly TemplatePart[][]): TemplatePart[][] {
  const joined: TemplatePart[][] = [];
  let isContinued = false;
  for (const line of lines) {
    const last = line.at(-1);
    const continues = typeof last === 'string' && last.endsWith('\\');
    const parts = continues ? [...line.slice(0, -1), last.slice(0, -1)] : line;
    const previous = joined.at(-1);
    if (isContinued && previous !== undefined)
      previous.push(...parts.map((part, index) => (index === 0 ? trimStart(part) : part)));
    else joined.push([...parts]);
    isContinued = continues;
  }
  return joined;
}

function trimStart(part: TemplatePart): TemplatePart {
  return typeof part === 'string' ? part.trimStart() : part;
}

/** A step for a line; `@` is dropped, and `-` allows a failure. */
function lineSteps([first = '', ...rest]: TemplatePart[], context: RecipeContext): ImportedStep[] {
  const [, signs = '', text = ''] = typeof first === 'string' ? (/^\s*([@-]*)(.*)$/s.exec(first) ?? []) : [];
  const parts = [typeof first === 'string' ? text : first, ...rest];
  const words = signs.includes('-') ? undefined : plainWords(parts);
  const call = words?.[0] === 'just' ? context.toCall(words.slice(1)) : undefined;
  if (call !== undefined) return [call];
  const command = shellText(parts, context.used, context.note);
  if (/^\s*(?:#.*)?$/s.test(command)) return [];
  return [{ run: commandFor(context.shell, command), ...(signs.includes('-') ? { allow_failure: true } : {}) }];
}

/** The words of a command as values of a `with`, undefined if the shell does more than to split them. */
function plainWords(parts: readonly TemplatePart[]): string[] | undefined {
  const text = parts
    .map((part) =>
      typeof part === 'string' ? part : (part.text ?? part.expansion.replace(/^\$\{(\w+)\}$/, '${vars.$1}')),
    )
    .join('')
    .replace(/\s#.*$/s, '');
  return PLAIN_WORDS.test(text) ? text.split(/\s+/).filter(Boolean) : undefined;
}

/** The texts in a body, without expressions. */
export function textOf(node: JsonNode | undefined): string {
  return stringOf(node) ?? items(node).map(textOf).join('');
}

/**
 * The body of a recipe with the attribute `cache` as a step with files. Calls `drop` if the attribute has no counterpart:
 * it names no file, or one that a parameter changes.
 */
export function cachedBody(
  attributes: readonly JsonNode[],
  body: readonly ImportedStep[],
  valueOf: (expression: JsonNode | undefined) => JustValue,
  drop: () => void,
): readonly ImportedStep[] {
  const cache = attributes.map((each) => memberOf(each, 'cache')).find((each) => each !== undefined);
  if (cache === undefined || body.length === 0) return body;
  const check = attempt((): FileCheck => {
    const extra = memberOf(cache, 'extra');
    if (extra !== undefined && extra.kind !== 'null') fixedText(extra, valueOf);
    const [sources, generates] = ['inputs', 'outputs'].map((name) => paths(memberOf(cache, name), valueOf));
    if (sources === undefined || generates === undefined || sources.length + generates.length === 0)
      throw new LeftOut('it names no file');
    return { sources, generates };
  });
  const step = check instanceof LeftOut ? undefined : checkedStep(body, check);
  if (step === undefined) drop();
  return step === undefined ? body : [step];
}

function paths(
  expression: JsonNode | undefined,
  valueOf: (expression: JsonNode | undefined) => JustValue,
): string[] | undefined {
  if (expression === undefined || expression.kind === 'null') return [];
  const [operator, ...operands] = items(expression);
  const list = stringOf(operator) === 'list' ? operands : [expression];
  return literalPatterns(list.map((each) => fixedText(each, valueOf)));
}

function fixedText(expression: JsonNode, valueOf: (expression: JsonNode) => JustValue): string {
  const { text, isFixed } = valueOf(expression);
  if (!isFixed) throw new LeftOut('a parameter changes it');
  return text;
}
