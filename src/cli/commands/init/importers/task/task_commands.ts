import { calledBy, LeftOut, together, type ImportedStep } from '../../imported.ts';
import { commandFor, type OtherShell } from '../../other_shell.ts';
import { singleQuoted } from '../../shell_template.ts';
import { fieldsOf, listOf, type TaskFields } from './task_fields.ts';
import { callValue, commandText, constantValue, ownDefault, readingComputed, type TaskScope } from './task_template.ts';
import type { FileCheck } from '../../checked_step.ts';

/** How often a task runs, by the value of `run`: once for all calls, or once for each set of variables. */
const ONCE = new Map<unknown, true | 'any'>([
  ['once', 'any'],
  ['when_changed', true],
]);

/** The steps of a task. Its `commands`, with its questions, are what it skips while its files are up to date. */
export function taskSteps(
  fields: TaskFields,
  scope: TaskScope,
): Readonly<Record<'before' | 'commands', ImportedStep[]>> {
  const each = (list: unknown, convert: (value: unknown, scope: TaskScope) => ImportedStep): ImportedStep[] =>
    listOf(list).map((value) => readingComputed(scope, (own) => convert(value, own)));
  const dependencies = listOf(fields.get('deps')).map((dependency) => callStep(dependency, scope));
  const before = [...together(dependencies, true), ...each(fields.get('preconditions'), precondition)];
  const questions = listOf(fields.get('prompt')).map((prompt): ImportedStep => {
    return { name: 'prompt', run: ':', confirm: constantValue(prompt, scope) };
  });
  const commands = [...questions, ...each(fields.get('cmds') ?? fields.get('cmd'), commandStep)];
  if (fields.get('ignore_error') !== true) return { before, commands };
  if (calledBy([...before, ...commands]).length > 0) throw new LeftOut("'ignore_error' has no counterpart for calls");
  return { before: before.map(allowFailure), commands: commands.map(allowFailure) };
}

function commandStep(command: unknown, scope: TaskScope): ImportedStep {
  if (typeof command === 'string') return { run: script(command, scope) };
  const fields = fieldsOf(command);
  if (fields.has('task')) return callStep(fields, scope);
  const text = fields.get('cmd');
  const other = [...fields.keys()].map(String).find((key) => !['cmd', 'silent', 'ignore_error'].includes(key));
  if (other !== undefined || typeof text !== 'string') throw new LeftOut(`'${other ?? 'cmds'}' has no counterpart`);
  const step = { run: script(text, scope) };
  return fields.get('ignore_error') === true ? allowFailure(step) : step;
}

/** A command. go-task ends a script at the first failure. */
function script(text: string, scope: TaskScope): string {
  return commandFor(shellOf(scope.file), commandText(text.trimEnd(), scope));
}

function shellOf(file: TaskFields): OtherShell {
  const options = listOf(file.get('set')).map(String);
  const isKnown = options.every((option) => /^(?:e|errexit|u|nounset|pipefail)$/.test(option));
  if (!isKnown || file.has('shopt')) throw new LeftOut("the file's options of the shell have no counterpart");
  const letters = `e${options.some((option) => /^(?:u|nounset)$/.test(option)) ? 'u' : ''}`;
  return { program: 'bash', letters, hasPipefail: options.includes('pipefail') };
}

/** The call of a task, with its variables. A task runs each time, unless its `run` says otherwise. */
function callStep(called: unknown, scope: TaskScope): ImportedStep {
  const fields: TaskFields = typeof called === 'string' ? new Map([['task', called]]) : fieldsOf(called);
  const other = [...fields.keys()].map(String).find((key) => !['task', 'vars', 'silent'].includes(key));
  if (other !== undefined) throw new LeftOut(`'${other}' of a called task has no counterpart`);
  const tasks = fieldsOf(scope.file.get('tasks'));
  const workflow = realName(constantValue(fields.get('task'), scope).replace(/^:/, ''), tasks);
  const task = fieldsOf(tasks.get(workflow));
  const own = fieldsOf(task.get('vars'));
  const values = [...fieldsOf(fields.get('vars'))].map(([key, value]) => {
    const name = String(key);
    if (name === 'CLI_ARGS') throw new LeftOut('it passes {{.CLI_ARGS}} on');
    if (own.has(key) && ownDefault(name, own.get(key)) === undefined)
      throw new LeftOut(`it passes '${name}' to '${workflow}', which sets it`);
    return [name, callValue(value, scope)] as const;
  });
  const once = ONCE.get(task.get('run') ?? scope.file.get('run')) ?? 'always';
  return { workflow, ...(values.length === 0 ? {} : { with: new Map(values) }), once };
}

/** The task of a name or an alias. */
function realName(name: string, tasks: TaskFields): string {
  if (tasks.has(name)) return name;
  const found = [...tasks].find(([, task]) => listOf(fieldsOf(task).get('aliases')).map(String).includes(name));
  return found === undefined ? name : String(found[0]);
}

function precondition(given: unknown, scope: TaskScope): ImportedStep {
  const test = typeof given === 'string' ? given : fieldsOf(given).get('sh');
  const message = fieldsOf(given).get('msg');
  if (typeof test !== 'string') throw new LeftOut('a precondition has no command');
  const check = script(test, scope);
  if (typeof message !== 'string') return { name: 'precondition', run: check };
  if (message.includes('{{')) throw new LeftOut('the message of a precondition is computed');
  return { name: 'precondition', run: `(\n${check}\n) || { echo ${singleQuoted(message)} >&2; exit 1; }` };
}

function allowFailure(step: ImportedStep): ImportedStep {
  return 'run' in step ? { ...step, allow_failure: true } : step;
}

/** The fields of a task for its files, and for other checks. */
export const FILE_FIELDS: ReadonlySet<string> = new Set(['sources', 'generates', 'status', 'watch']);

/** The patterns of a task that is skipped while its files are up to date. */
export function filesOf(fields: TaskFields, scope: TaskScope): FileCheck {
  if (fields.has('status')) throw new LeftOut("'status' may say that it is out of date");
  if ((fields.get('method') ?? scope.file.get('method')) === 'none') throw new LeftOut('its method is none');
  const [sources = [], generates = []] = ['sources', 'generates'].map((name) => {
    const patterns = listOf(fields.get(name)).map((each) => pattern(each, scope));
    const first = patterns.findIndex((each) => !each.startsWith('!'));
    // Before the first pattern, there is nothing to exclude.
    return first === -1 ? [] : patterns.slice(first);
  });
  if (sources.length === 0) throw new LeftOut('it has no sources');
  return { sources, generates };
}

function pattern(given: unknown, scope: TaskScope): string {
  const excluded = fieldsOf(given).get('exclude');
  const text = constantValue(excluded ?? given, scope);
  if (text === '' || /[$~'"`\\!\p{Cc}]/u.test(text)) throw new LeftOut(`the shell would expand '${text}'`);
  return excluded === undefined ? text : `!${text}`;
}
