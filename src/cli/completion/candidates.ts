import { isCommand, conditionParts } from '../../ir/ops.ts';
import type { Input } from '../../frontend/ast.ts';
import type { ParsedFile } from '../../frontend/parse.ts';
import { compile } from '../../ir/compile.ts';
import type { Plan } from '../../ir/plan.ts';
import { isSecretInput } from '../../ir/secret_names.ts';
import { namePaths } from '../../ir/steps/resolve_step.ts';
import { hasHidden } from '../../base/hidden_characters.ts';
import { inputVariables } from './input_variables.ts';
import { chooseWorkflow, PLUS } from '../command_line/choose_workflow.ts';
import { isParam, type Chosen } from '../command_line/params.ts';
import { withFullName } from '../command_line/parse_command_line.ts';
import { findCommand, shortWords, type FoundCommand } from '../command_line/find_command.ts';
import { FLAGS, flagsOf, flagSpec, isSwitch, type Flag } from '../command_line/flags.ts';
import { COMMANDS, type Command } from '../command_line/command_table.ts';
import { TOPICS } from '../command_line/help/topic_names.ts';
import { isKeyOf } from '../../base/keys.ts';

/** A completion and its description. Shells add no space after a text that ends with a colon. */
export type Candidate = readonly [text: string, describe: string];

/** The completions of a word; `files` lets the shell complete file names. */
export type Candidates = readonly Candidate[] | 'files';

/** Reads a workflow file, by default the default one; undefined if that fails. */
type ReadFile = (file?: string) => Promise<ParsedFile | undefined>;

/** The words before the cursor. */
type TypedWords = Readonly<{
  positional: readonly string[];
  /** The command at their beginning. */
  found: FoundCommand | undefined;
  values: ReadonlyMap<Flag, string>;
  switches: ReadonlySet<Flag>;
  /** The flag whose value is the next word. */
  open: Flag | undefined;
  /** Whether `--` has ended the flags. */
  ended: boolean;
  /** The number of positional words before the first `--`. */
  beforeEnd: number;
}>;

/** The completions of `current`, the word at the cursor. `before` are the words before it. */
export async function candidates(before: readonly string[], current: string, readFile: ReadFile): Promise<Candidates> {
  const typed = readTyped(before);
  const { positional, found, values, open, ended } = typed;
  const command = found?.command;
  const read = (): ReturnType<ReadFile> => readFile(values.get('file'));
  if (open !== undefined) return flagValues(open, typed, read);
  if (!ended && current.startsWith('-')) return flags(current, typed, read);
  if (found === undefined || command === undefined) return commandWords(positional);
  if (command.hasArguments === true && isInArguments(typed, found.length)) return 'files';
  // Run ids are not completed: `--last` selects the newest run.
  if (command.operands === undefined || command.operands.unless !== undefined) return [];
  const all = positional.slice(found.length);
  const operands = all.slice(all.lastIndexOf(PLUS) + 1);
  const parsed = await read();
  const chosen = chosenBy(parsed, command, operands);
  const names = operands.length === 0 ? workflowNames(parsed, current, ended) : [];
  if (chosen === undefined) return names;
  return [...names, ...parameterNames(command, planOf(parsed, chosen.workflow), chosen.rest, current)];
}

/** Whether the word at the cursor is an argument for commands, after the name and `--`. */
function isInArguments({ positional, ended, beforeEnd }: TypedWords, length: number): boolean {
  return ended && (beforeEnd > length || positional.indexOf('--', length + 1) !== -1);
}

/** The unused flags; after `--flag=`, the values of that flag. */
async function flags(current: string, typed: TypedWords, read: ReadFile): Promise<Candidates> {
  const command = typed.found?.command;
  const known = flagsOf(command);
  const flag = known.find((name) => current.startsWith(`--${name}=`));
  if (flag === undefined) {
    const isUsed = (name: Flag): boolean => typed.switches.has(name) || typed.values.has(name);
    const unused = known.filter((name) => !isUsed(name) || flagSpec(name, command).repeatable === true);
    return unused.map((name) => [`--${name}`, flagSpec(name, command).describe]);
  }
  const values = await flagValues(flag, typed, read);
  return values === 'files' ? values : values.map(([text, describe]) => [`--${flag}=${text}`, describe]);
}

async function flagValues(flag: Flag, { positional, found }: TypedWords, read: ReadFile): Promise<Candidates> {
  const command = found?.command;
  const { takes, values } = flagSpec(flag, command);
  if (takes === 'path') return 'files';
  if (flag === 'format') return (command?.formats ?? []).map((format) => [format, '']);
  if (values !== undefined) return values.map((value) => [value, '']);
  if (!STEP_FLAGS.has(flag)) return [];
  const parsed = await read();
  const operands = positional.slice(found?.length ?? 0);
  return stepNames(planOf(parsed, command && chosenBy(parsed, command, operands)?.workflow));
}

/** The flags that take a step of the workflow. */
const STEP_FLAGS: ReadonlySet<Flag> = new Set(['step', 'from', 'until', 'only', 'assume']);

function readTyped(before: readonly string[]): TypedWords {
  const positional: string[] = [];
  const values = new Map<Flag, string>();
  const switches = new Set<Flag>();
  let open: Flag | undefined;
  let ended = false;
  let beforeEnd = 0;
  for (const word of before) {
    const [, name = '', value] = /^--([^=]*)(?:=([^]*))?$/.exec(withFullName(word)) ?? [];
    if (open !== undefined) {
      values.set(open, word);
      open = undefined;
    } else if (ended || !/^-./.test(word)) positional.push(word);
    else if (word === '--') [ended, beforeEnd] = [true, positional.length];
    else if (isKeyOf(FLAGS, name)) {
      if (isSwitch(name, findCommand(positional)?.command)) switches.add(name);
      else if (value === undefined) open = name;
      else values.set(name, value);
    }
  }
  return { positional, found: findCommand(positional), values, switches, open, ended, beforeEnd };
}

/** The next words of commands. Short forms come first. The long forms follow `workflow`. */
function commandWords(given: readonly string[]): Candidate[] {
  const line = given[0] === 'help' ? given.slice(1) : given;
  const start = line.map((word) => `${word} `).join('');
  const next = COMMANDS.flatMap((command) => {
    const forms = line.length === 0 ? [shortWords(command)] : [command.words, shortWords(command)];
    const [words] = forms.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
    return words === undefined ? [] : [nextWord(words, command.describe)];
  });
  const others = given.length === 0 ? OTHER_WORDS : [];
  const topics = given.length === 1 && line.length === 0 ? [...Object.entries(TOPICS), PAGE] : [];
  return [...new Map([...next, ...others, ...topics])];
}

/** The first of a command's remaining words. */
function nextWord(words: string, describe: string): Candidate {
  return words.includes(' ') ? [words.replace(/ .*/, ''), ''] : [words, describe];
}

const PAGE: Candidate = ['page', 'The same as ui'];

const OTHER_WORDS: readonly Candidate[] = [
  ['help', FLAGS.help.describe],
  ['version', FLAGS.version.describe],
  PAGE,
  ['workflow', 'The commands for scripts, which print JSON'],
];

/** The public workflows. If none begins with the typed text, private workflows and aliases too. */
function workflowNames(parsed: ParsedFile | undefined, current: string, ended: boolean): Candidate[] {
  const isWord = (name: string): boolean => !hasHidden(name) && (ended || !/^-./.test(name));
  const workflows = [...(parsed?.file?.workflows ?? [])];
  const listed = workflows.filter(([name, workflow]) => isWord(name) && !workflow.private);
  const isListed = listed.some(([name]) => name.startsWith(current));
  if (isListed) return listed.map(([name, { description }]) => [name, description]);
  return workflows.flatMap(([name, { description, aliases }]) => {
    return [name, ...aliases].filter(isWord).map((each): Candidate => [each, description]);
  });
}

/** The workflow chosen by the operands of a command. `run` without a name uses the default workflow. */
function chosenBy(parsed: ParsedFile | undefined, command: Command, operands: readonly string[]): Chosen | undefined {
  const usesDefault = command.words === 'workflow run' || command.words === 'workflow status';
  return parsed?.file && chooseWorkflow(parsed.file, operands, usesDefault);
}

function planOf(parsed: ParsedFile | undefined, workflow: string | undefined): Plan | undefined {
  if (parsed?.kind !== 'valid' || workflow === undefined || !parsed.file.workflows.has(workflow)) return undefined;
  const compiled = compile(parsed.file, workflow, [], null);
  return compiled.kind === 'plan' ? compiled.plan : undefined;
}

/** The names of a plan's steps, with their commands. A name that several steps have is a path. */
function stepNames(plan: Plan | undefined): Candidate[] {
  if (plan === undefined) return [];
  const paths = namePaths(plan);
  const [names, repeated] = [new Set<string>(), new Set<string>()];
  for (const op of plan.ops) if (op.kind === 'run') (names.has(op.name) ? repeated : names).add(op.name);
  return plan.ops.flatMap((op, index): Candidate[] => {
    if (op.kind !== 'run') return [];
    const text = repeated.has(op.name) ? (paths.get(index) ?? op.name) : op.name;
    return hasHidden(text) ? [] : [[text, op.command]];
  });
}

/** The variables that a plan sets, tests or reads, except those already typed. */
function parameterNames(
  command: Command,
  plan: Plan | undefined,
  given: readonly string[],
  current: string,
): Candidate[] {
  if (plan === undefined || ['workflow graph', 'workflow export'].includes(command.words)) return [];
  const inputs = new Map<string, Input>();
  for (const frame of plan.frames) {
    for (const input of frame.inputs ?? []) if (!inputs.has(input.name)) inputs.set(input.name, input);
  }
  if (isParam(current)) return inputValues(inputs.get(current.replace(/[:=][^]*/, '')), current);
  const fixed = new Set(plan.frames.flatMap(({ vars, matrix }) => (matrix ? vars.map(([name]) => name) : [])));
  const set = plan.frames.flatMap(({ vars }) => {
    return vars.flatMap(([name, , , lookups = []]) => [name, ...lookups.map((lookup) => lookup.name)]);
  });
  const read = plan.ops.flatMap((op) => {
    if (!isCommand(op)) return [];
    if (op.kind !== 'condition') return inputVariables(op.command);
    const { variable, code } = conditionParts(op.test);
    return variable ?? inputVariables(code);
  });
  const used = new Set(given.map((word) => word.replace(/[:=][^]*/, '')));
  const names = [...new Set([...inputs.keys(), ...set, ...read])].filter((name) => !used.has(name) && !fixed.has(name));
  // The first operand of `explain` is the name of a variable.
  const bare = command.words === 'workflow explain' && given.length === 0 ? names : [];
  const about = (name: string): string => inputs.get(name.replace(/:$/, ''))?.description ?? '';
  return [...bare, ...names.map((name) => `${name}:`)].map((name) => [name, about(name)]);
}

/** The values of an input, as parameters with the typed separator. */
function inputValues(input: Input | undefined, current: string): Candidate[] {
  const sign = current.slice(0, current.search(/[:=]/) + 1);
  if (input === undefined || isSecretInput(input)) return [];
  const values = input.type === 'boolean' ? ['true', 'false'] : input.options;
  return values.filter((value) => !hasHidden(value)).map((value) => [`${sign}${value}`, '']);
}
