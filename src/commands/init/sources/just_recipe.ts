import type { JsonNode } from '../../../frontend/syntax/json_tree.ts';
import { LeftOut, type ImportedStep } from '../imported.ts';
import { items, stringOf } from './json_value.ts';
import { shellText, type TemplatePart } from '../shell_template.ts';

type ToParts = (expression: JsonNode | undefined) => TemplatePart[];

/** The call that a line `just …` makes, undefined if it has to remain a command. */
type ToCall = (words: readonly string[]) => ImportedStep | undefined;

/** Words that have no meaning for the shell, and variables. */
const PLAIN_WORDS = /^(?:[\w./:@%+,=\s-]|\$\{vars\.\w+\})*$/;

/** `#!/bin/sh`, `#!/usr/bin/env bash` and the like, perhaps with options. */
const SHELL_SCRIPT = /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?|\/(?:usr\/)?bin\/)(?:ba)?sh(?:\s+(-.*))?$/;

/** The body of a recipe as steps: one for each line, or a single one for a script. */
export function recipeSteps(
  body: JsonNode | undefined,
  isScript: boolean,
  toParts: ToParts,
  toCall: ToCall,
): ImportedStep[] {
  const lines = items(body).map((line) => lineParts(line, toParts));
  return isScript ? script(lines) : joinedLines(lines).flatMap((line) => lineSteps(line, toCall));
}

/** The fragments of a line: text, and expressions in `{{…}}`. */
function lineParts(line: JsonNode, toParts: ToParts): TemplatePart[] {
  return items(line).flatMap((fragment) => {
    const text = stringOf(fragment);
    return text === undefined ? toParts(items(fragment)[0]) : [text.replaceAll('{{{{', '{{')];
  });
}

function script([first = [], ...lines]: readonly TemplatePart[][]): ImportedStep[] {
  const [interpreter = ''] = first;
  const found = SHELL_SCRIPT.exec(typeof interpreter === 'string' ? interpreter.trim() : '');
  if (found === null || first.length > 1) throw new LeftOut('it is a script in another language');
  const options: TemplatePart[][] = found[1] === undefined ? [] : [[`set ${found[1]}`]];
  const parts = options.concat(lines).flatMap((line) => line.concat('\n'));
  return [{ run: shellText(parts.slice(0, -1)) }];
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
    else joined.push(parts);
    isContinued = continues;
  }
  return joined;
}

function trimStart(part: TemplatePart): TemplatePart {
  return typeof part === 'string' ? part.trimStart() : part;
}

/** A step for a line; `@` is dropped, and `-` allows a failure. */
function lineSteps([first = '', ...rest]: TemplatePart[], toCall: ToCall): ImportedStep[] {
  const [, signs = '', text = ''] = typeof first === 'string' ? (/^\s*([@-]*)(.*)$/s.exec(first) ?? []) : [];
  const parts = [typeof first === 'string' ? text : first, ...rest];
  const words = signs.includes('-') ? undefined : plainWords(parts);
  const call = words?.[0] === 'just' ? toCall(words.slice(1)) : undefined;
  if (call !== undefined) return [call];
  const run = shellText(parts);
  if (/^\s*(?:#.*)?$/s.test(run)) return [];
  return [{ run, ...(signs.includes('-') ? { allow_failure: true } : {}) }];
}

/** The words of a command as values of a `with`, undefined if the shell does more than to split them. */
function plainWords(parts: readonly TemplatePart[]): string[] | undefined {
  const text = parts
    .map((part) => (typeof part === 'string' ? part : part.expansion.replace(/^\$\{(\w+)\}$/, '${vars.$1}')))
    .join('')
    .replace(/\s#.*$/s, '');
  return PLAIN_WORDS.test(text) ? text.split(/\s+/).filter(Boolean) : undefined;
}
