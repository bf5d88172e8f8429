import type { Step, WorkflowFile } from '../ast.ts';
import type { Owner, Warn } from '../diagnostics/diagnostic.ts';
import { rangeAt } from '../syntax/source_range.ts';
import { commandsOf, fileScopes, stepsOf, setVariables } from './scopes.ts';
import { unquotedPart } from './shell_variables.ts';

/** A name in the place of a command: after an operator or a keyword, and before a blank, an operator or the end. */
const COMMAND =
  /(?:^|[;|\n]|(?<![<>])&|(?<![(=])\((?!\())\s*(?:(?:!|\{|if|then|else|elif|while|until|do|time)\s+)*([A-Za-z_]\w*)(?=\s*(?:[;|\n)]|&(?!>)|$)|([ \t]+(?![=(])))/g;

/** Commands in which words have other places: patterns, tests, and definitions of functions and aliases. */
const GIVES_UP = /\bcase\s|\[\[|\(\)|\b(?:function|alias)\s/;

/** Names of commands that are built in, if they look like names of variables. */
const BUILT_IN =
  /^(?:alias|bg|bind|break|builtin|caller|case|cd|command|compgen|complete|continue|coproc|declare|dirs|disown|do|done|echo|elif|else|enable|esac|eval|exec|exit|export|false|fc|fg|fi|for|function|getopts|hash|help|history|if|in|jobs|kill|let|local|logout|mapfile|popd|printf|pushd|pwd|read|readarray|readonly|return|select|set|shift|shopt|source|suspend|test|then|time|times|trap|true|type|typeset|ulimit|umask|unalias|unset|until|wait|while)$/;

/**
 * Finds variables in the place of a command, which the shell would look for as a program: `! UP`. Of names with lower-case
 * letters, which programs have too, only those without arguments. Takes time linear in the file.
 */
export function findVariableCommands(file: WorkflowFile, isShown: (owner: Owner) => boolean, warn: Warn): void {
  const names = setVariables(file);
  if (names.size === 0) return;
  const find = (text: string, owner: Owner, step?: Step): readonly (readonly [name: string, start: number])[] => {
    if (GIVES_UP.test(text) || !isShown(owner)) return [];
    return [...unquotedPart(text).matchAll(COMMAND)].flatMap(({ 0: found, 1: name = '', 2: more, index }) => {
      const isName = names.has(name) && !BUILT_IN.test(name) && (more === undefined || !/[a-z]/.test(name));
      return isName && isKnown(file, name, owner, step) ? [[name, index + found.lastIndexOf(name)]] : [];
    });
  };
  for (const { step, owner } of stepsOf(file)) {
    const { condition } = step;
    // A condition that is only a name tests the variable.
    if (condition === undefined || /^\s*\w+\s*$/.test(condition.text)) continue;
    for (const [variable] of find(condition.text, owner, step)) {
      warn({ code: 'variable as command', variable, isCondition: true }, owner, condition.range);
    }
  }
  for (const [command, owner] of commandsOf(file)) {
    for (const [variable, start] of find(command.text, owner)) {
      const range = command.lines === undefined ? command.range : rangeAt(command, start);
      warn({ code: 'variable as command', variable, isCondition: false }, owner, range);
    }
  }
}

/** Whether the file, the workflow, a calling step or a calling workflow sets a variable. */
function isKnown(file: WorkflowFile, name: string, { workflow }: Owner, step: Step | undefined): boolean {
  const sets = ({ with: own, matrix }: Step): boolean => own.has(name) || matrix?.has(name) === true;
  if (file.env.has(name) || (step !== undefined && sets(step))) return true;
  if ([...fileScopes(file)].some(({ env }) => env.has(name))) return true;
  const inside = new Set([workflow]);
  for (const each of inside) {
    const { env, inputs } = file.workflows.get(each) ?? {};
    if (env?.has(name) === true || inputs?.some((input) => input.name === name) === true) return true;
    for (const { step: caller, owner } of stepsOf(file)) {
      if (caller.kind !== 'call' || caller.workflow !== each) continue;
      if (sets(caller)) return true;
      inside.add(owner.workflow);
    }
  }
  return false;
}
