import { brokenRule, Command } from '../../../../../frontend/schema/schema.ts';
import { LeftOut, type ImportedStep } from '../../imported.ts';
import { commandFor, otherShell, type OtherShell } from '../../other_shell.ts';
import { shellText, singleQuoted, type TemplatePart } from '../../shell_template.ts';
import type { AutomaticVariables, MakeVariables } from './make_variables.ts';
import { words } from './make_text.ts';
import { basename, dirname } from 'node:path';

/** A recipe, and the settings of the file for recipes. `used` collects the variables that the commands expand. */
type Recipe = Readonly<{
  lines: readonly string[];
  automatic: AutomaticVariables;
  variables: MakeVariables;
  shell: OtherShell;
  isOneShell: boolean;
  isTarget: (name: string) => boolean;
  used: Map<string, string>;
}>;

/** A line of a recipe: its command, and the signs `@`, `-` and `+` before it. */
type RecipeLine = Readonly<{ signs: string; parts: readonly TemplatePart[] }>;

/** The steps of a recipe. make expands all lines before it runs the first one, so texts of `$(info)` come first. */
export function recipeSteps(recipe: Recipe): ImportedStep[] {
  const infos = recipe.lines.flatMap((line) => information(line, recipe));
  const lines = recipe.lines
    .filter((line) => INFO.exec(line) === null)
    .map((line) => readLine(line, recipe))
    .filter(({ parts }) => parts.some((part) => typeof part !== 'string' || part.trim() !== ''));
  if (!recipe.isOneShell) return [...infos, ...lines.flatMap((line) => lineSteps(line, recipe))];
  const text = lines.map(({ parts }) => shellText(parts, recipe.used)).join('\n');
  return text === '' ? infos : [...infos, step(lines[0]?.signs ?? '', text, recipe)];
}

/** A line break that ends a command. Those in the lines of a recipe follow a backslash. */
const BREAK = /(?<!\\)(?:\\\\)*\n/;
/** A line break before signs and spaces, which make removes from each line of a recipe in one shell. */
const BREAK_BEFORE_SIGNS = /(?<!\\)(?:\\\\)*\n[ \t@+-]/;

const INFO = /^\s*[@+-]*\s*\$[({]info\s+(.*)[)}]\s*$/s;

function information(line: string, { variables, automatic }: Recipe): ImportedStep[] {
  const [, given] = INFO.exec(line) ?? [];
  if (given === undefined) return [];
  const text = variables.constant(given, automatic);
  const quoted = singleQuoted(text);
  return [{ run: /^-|\\/.test(text) ? String.raw`printf '%s\n' ${quoted}` : `echo ${quoted}` }];
}

/** A line with its signs, which may stand in a variable: `$(Q)command`. */
function readLine(line: string, { variables, automatic, isOneShell }: Recipe): RecipeLine {
  let signs = '';
  const rest = variables.parts(line, automatic);
  const whole = rest.map((part) => (typeof part === 'string' ? part : (part.text ?? ''))).join('');
  if ((isOneShell ? BREAK_BEFORE_SIGNS : BREAK).test(whole))
    throw new LeftOut('it uses a variable that holds several lines');
  for (;;) {
    const [first = '', ...others] = rest;
    const text = typeof first === 'string' ? first : (first.text ?? defaultSigns(first.expansion));
    if (text === undefined) break;
    const [before = ''] = /^[\s@+-]*/.exec(text) ?? [];
    signs += before;
    if (before === '' && text !== '') break;
    rest.splice(0, rest.length, ...(before.length < text.length ? [text.slice(before.length)] : []), ...others);
    if (before.length < text.length || rest.length === 0) break;
  }
  return { signs, parts: rest };
}

/** The default of a variable such as `${Q-@}`, if it holds signs. */
function defaultSigns(expansion: string): string | undefined {
  return /^\$\{\w+:?-([@+-]+)\}$/.exec(expansion)?.[1];
}

function lineSteps({ signs, parts }: RecipeLine, recipe: Recipe): ImportedStep[] {
  checkDirectory(parts);
  const text = shellText(parts, recipe.used);
  if (/^\s*#[^\n]*$/.test(text)) return [];
  const [, called] = /^make((?:\s+[\w./-]+)+)\s*$/.exec(text) ?? [];
  const targets = called?.trim().split(/\s+/) ?? [];
  if (targets.length > 0 && !signs.includes('-') && targets.every(recipe.isTarget)) {
    return targets.map((workflow) => ({ workflow }));
  }
  return [step(signs, text, recipe)];
}

function step(signs: string, text: string, { shell }: Recipe): ImportedStep {
  const run = commandFor(shell, text.trim());
  if (brokenRule(Command, run) !== undefined) throw new LeftOut('a command is not text');
  return { run, ...(signs.includes('-') ? { allow_failure: true } : {}) };
}

/** `$(CURDIR)` never changes, but `$PWD` does. */
function checkDirectory(parts: readonly TemplatePart[]): void {
  let before = '';
  for (const part of parts) {
    if (typeof part !== 'string' && part.expansion === '${PWD}' && /\b(?:cd|pushd|popd)\b.*[;&|\n]/s.test(before)) {
      throw new LeftOut('it uses $(CURDIR) in another directory');
    }
    before += typeof part === 'string' ? part : part.expansion;
  }
}

/** The shell of recipes after an assignment of SHELL or .SHELLFLAGS; undefined for an unknown one. */
export function changedShell(shell: OtherShell, name: 'SHELL' | '.SHELLFLAGS', value: string): OtherShell | undefined {
  if (name === '.SHELLFLAGS') return otherShell(shell.program, words(value));
  const [first = '', second = ''] = words(/^\$\(shell (?:which|command -v) bash\)$/.test(value) ? 'bash' : value);
  const program = otherShell(first.endsWith('/env') ? second : first, [])?.program;
  return program === undefined ? undefined : { ...shell, program };
}

/** The values of `$@`, `$<`, `$^`, `$(@D)` and so on. `all` are the prerequisites with repeated ones. */
export function automaticVariables(
  name: string,
  needed: readonly string[],
  all: readonly string[],
  isPhony: boolean,
): Map<string, string> {
  const variables = [
    ['@', name],
    ['<', needed[0] ?? ''],
    ['^', needed.join(' ')],
    ['+', all.join(' ')],
    ...(isPhony ? [['?', needed.join(' ')] as const] : []),
  ] as const;
  const split = variables.flatMap(([sign, value]) => {
    const paths = words(value);
    return [
      [`${sign}D`, paths.map((path) => dirname(path)).join(' ')],
      [`${sign}F`, paths.map((path) => basename(path)).join(' ')],
    ] as const;
  });
  return new Map([...variables, ...split]);
}
