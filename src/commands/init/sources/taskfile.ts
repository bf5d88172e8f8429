import { dirname, join } from 'node:path';
import { brokenRule, VariableName } from '../../../frontend/schema/schema.ts';
import { sourceDirectory } from '../import_kind.ts';
import { attempt, LeftOut, named, type Imported, type ImportedStep, type ImportedWorkflow } from '../imported.ts';
import { shellText } from '../shell_template.ts';
import { callValue, computedVariable, computingSteps, constantValue, readingComputed } from './task_template.ts';
import { taskValue, templateParts, type ComputedVariable, type TaskScope } from './task_template.ts';

type TaskFields = ReadonlyMap<unknown, unknown>;

/** Fields of the file that are converted, or have no effect on a workflow. */
const IGNORED_FIELDS = new Set(['version', 'vars', 'env', 'dotenv', 'tasks', 'silent', 'method', 'output', 'interval']);

/** Fields of a task that are converted or need no conversion. */
const CONVERTED = new Set(
  'cmds cmd deps desc summary vars env dir internal silent ignore_error aliases requires preconditions prompt run label interactive prefix method'.split(
    ' ',
  ),
);

/** Fields that only save time: without them, a task runs more often. */
const DROPPED_FIELDS = new Set(['sources', 'generates', 'status', 'watch']);

/** The tasks of a Taskfile as workflows; undefined if it has none. */
export function importTaskfile(path: string, root: unknown): Imported | undefined {
  const tasks = root instanceof Map ? root.get('tasks') : undefined;
  return root instanceof Map && tasks instanceof Map ? new Taskfile(path, root, tasks).convert() : undefined;
}

class Taskfile {
  readonly #directory: string;
  readonly #root: TaskFields;
  readonly #tasks: TaskFields;
  readonly #env = new Map<string, string>();
  readonly #unknown = new Set<string>();
  readonly #computed = new Map<string, ComputedVariable>();
  readonly #leftOut: string[] = [];
  /** The tasks with a field that is left out, by field. */
  readonly #dropped = new Map<string, string[]>();

  constructor(path: string, root: TaskFields, tasks: TaskFields) {
    this.#directory = dirname(path);
    this.#root = root;
    this.#tasks = tasks;
  }

  convert(): Imported {
    for (const key of this.#root.keys()) {
      if (key === 'includes') this.#leaveOutIncludes(fieldsOf(this.#root.get(key)));
      else if (!IGNORED_FIELDS.has(String(key))) this.#leftOut.push(`'${String(key)}' is left out`);
    }
    const scope = {
      task: '',
      fixed: this.#env,
      unknown: this.#unknown,
      computed: this.#computed,
      used: new Set<string>(),
    };
    this.#variables(fieldsOf(this.#root.get('vars')), this.#env, scope, this.#computed);
    this.#variables(fieldsOf(this.#root.get('env')), this.#env, scope);
    const dotenv = this.#dotenv(scope);
    const workflows = [...this.#tasks].flatMap(([key, task]): ImportedWorkflow[] => {
      const name = String(key);
      const fields = task instanceof Map ? task : new Map([['cmds', task]]);
      const workflow = attempt(() => this.#workflow(name, fields));
      if (!(workflow instanceof LeftOut)) return [workflow];
      this.#leftOut.push(`task '${name}' is left out: ${workflow.message}`);
      return [];
    });
    for (const [field, names] of this.#dropped) {
      const runs = names.length === 1 ? 'it runs' : 'they run';
      this.#leftOut.push(`'${field}' of ${named('task', names)} is left out: ${runs} every time`);
    }
    return { noun: 'task', default: 'default', dotenv, env: this.#env, workflows, leftOut: this.#leftOut };
  }

  /** Included files are not read: each becomes a workflow file of its own. */
  #leaveOutIncludes(includes: TaskFields): void {
    const files = [...includes].map(([name, value]) => {
      return `${String(name)}: ${String(typeof value === 'string' ? value : fieldsOf(value).get('taskfile'))}`;
    });
    const advice = "convert these files too, and add the results to 'include'";
    this.#leftOut.push(`'includes' is left out: ${advice} (${files.join(', ')})`);
  }

  /** The files of variables. In a Taskfile the first one that sets a variable counts, in a workflow the last one. */
  #dotenv(scope: TaskScope): string[] {
    const files = attempt(() => listOf(this.#root.get('dotenv')).map((file) => constantValue('', file, scope)));
    if (!(files instanceof LeftOut)) {
      return files.map((file) => (file.startsWith('/') ? file : join(this.#directory, file))).toReversed();
    }
    this.#leftOut.push(`'dotenv' is left out: ${files.message}`);
    return [];
  }

  /**
   * Adds variables with known values to `known`, and those with a command to `computed`. Returns the unknown ones, and adds
   * a line for each.
   */
  #variables(
    given: TaskFields,
    known: Map<string, string>,
    scope: TaskScope,
    computed?: Map<string, ComputedVariable>,
  ): Set<string> {
    const unknown = new Set(scope.unknown);
    for (const [key, value] of given) {
      const name = String(key);
      const command = computed === undefined ? undefined : fieldsOf(value).get('sh');
      const found = attempt(() => {
        if (brokenRule(VariableName, name) !== undefined) return fail('no variable can have this name');
        if (typeof command === 'string') return computedVariable(command, scope);
        return scope.task === '' ? constantValue(name, value, scope) : taskValue(name, value, scope);
      });
      computed?.delete(name);
      unknown.delete(name);
      if (typeof found === 'string') known.set(name, found);
      else if (!(found instanceof LeftOut)) computed?.set(name, found);
      else {
        const owner = scope.task === '' ? '' : ` of task '${scope.task}'`;
        this.#leftOut.push(`variable '${name}'${owner} is left out: ${found.message}`);
        unknown.add(name);
        if (scope.task === '') this.#unknown.add(name);
      }
    }
    return unknown;
  }

  #workflow(name: string, fields: TaskFields): ImportedWorkflow {
    if (name.includes('*')) throw new LeftOut('its name is a pattern');
    for (const key of [...fields.keys()].map(String)) {
      if (DROPPED_FIELDS.has(key)) this.#dropped.set(key, [...(this.#dropped.get(key) ?? []), name]);
      else if (!CONVERTED.has(key)) throw new LeftOut(`its '${key}' has no counterpart`);
    }
    const env = new Map<string, string>();
    const computed = new Map(this.#computed);
    const used = new Set<string>();
    const outer = { task: name, fixed: this.#env, unknown: this.#unknown, computed, used };
    const unset = this.#variables(fieldsOf(fields.get('vars')), env, outer, computed);
    const inner = { ...outer, fixed: new Map([...this.#env, ...env]), unknown: unset };
    const unknown = this.#variables(fieldsOf(fields.get('env')), env, inner);
    const open = new Set(env.keys());
    // A call can change the variables of a task.
    const fixed = new Map([...this.#env].filter(([variable]) => !open.has(variable)));
    const scope = { task: name, fixed, unknown, computed, used };
    const read = [
      ...listOf(fields.get('deps')).map((each) => this.#call(each, scope)),
      ...listOf(fields.get('preconditions')).map((each) => readingComputed(scope, (own) => precondition(each, own))),
      ...listOf(fields.get('prompt')).map((each) => question(each, scope)),
      ...listOf(fields.get('cmds') ?? fields.get('cmd')).map((each) =>
        readingComputed(scope, (own) => this.#command(each, own)),
      ),
    ];
    const steps = [...computingSteps(scope), ...read];
    const description = fields.get('desc') ?? fields.get('summary');
    return {
      name,
      description: typeof description === 'string' ? description.trim() : undefined,
      private: fields.get('internal') === true,
      aliases: listOf(fields.get('aliases')).map(String),
      required: requirements(fields.get('requires')),
      env,
      dir: this.#workingDirectory(fields.get('dir'), outer),
      steps: fields.get('ignore_error') === true ? steps.map(allowFailure) : steps,
    };
  }

  /** The task of a name or an alias. */
  #realName(name: string): string {
    if (this.#tasks.has(name)) return name;
    const found = [...this.#tasks].find(([, task]) => listOf(fieldsOf(task).get('aliases')).map(String).includes(name));
    return found === undefined ? name : String(found[0]);
  }

  #workingDirectory(dir: unknown, scope: TaskScope): string | undefined {
    const own = dir === undefined ? '.' : constantValue('dir', dir, scope);
    return sourceDirectory(own.startsWith('/') ? own : join(this.#directory, own));
  }

  #command(command: unknown, scope: TaskScope): ImportedStep {
    if (typeof command === 'string') return { run: script(command, scope) };
    const fields = fieldsOf(command);
    if (fields.has('task')) return this.#call(fields, scope);
    const text = fields.get('cmd');
    const other = [...fields.keys()].map(String).find((key) => !['cmd', 'silent', 'ignore_error'].includes(key));
    if (other !== undefined || typeof text !== 'string') throw new LeftOut(`'${other ?? 'cmds'}' has no counterpart`);
    const step = { run: script(text, scope) };
    return fields.get('ignore_error') === true ? allowFailure(step) : step;
  }

  /** The call of a task, with its variables. A task runs each time, unless its `run` says otherwise. */
  #call(called: unknown, scope: TaskScope): ImportedStep {
    const fields: TaskFields = typeof called === 'string' ? new Map([['task', called]]) : fieldsOf(called);
    const other = [...fields.keys()].map(String).find((key) => !['task', 'vars', 'silent'].includes(key));
    if (other !== undefined) throw new LeftOut(`'${other}' of a called task has no counterpart`);
    const workflow = this.#realName(String(fields.get('task')).replace(/^:/, ''));
    const values = [...fieldsOf(fields.get('vars'))].map(
      ([key, value]) => [String(key), callValue(value, scope)] as const,
    );
    const task = this.#tasks.get(workflow);
    const isOnce =
      task instanceof Map && ['once', 'when_changed'].includes(String(task.get('run') ?? this.#root.get('run')));
    return { workflow, ...(values.length === 0 ? {} : { with: new Map(values) }), ...(isOnce ? { once: true } : {}) };
  }
}

/** A command. Task ends a script of several lines at the first failure. */
function script(text: string, scope: TaskScope): string {
  const run = shellText(templateParts(text.trimEnd(), scope));
  return run.includes('\n') ? `set -e\n${run}` : run;
}

function allowFailure(step: ImportedStep): ImportedStep {
  return 'run' in step ? { ...step, allow_failure: true } : step;
}

/** The variables that must have a value. */
function requirements(requires: unknown): string[] {
  const names = listOf(fieldsOf(requires).get('vars'));
  return names.map((name) => (typeof name === 'string' ? name : fail("its 'requires' has no counterpart")));
}

/** A step that asks before the commands. */
function question(prompt: unknown, scope: TaskScope): ImportedStep {
  return { name: 'prompt', run: ':', confirm: constantValue('', prompt, scope) };
}

function precondition(given: unknown, scope: TaskScope): ImportedStep {
  const test = typeof given === 'string' ? given : fieldsOf(given).get('sh');
  const message = fieldsOf(given).get('msg');
  if (typeof test !== 'string') throw new LeftOut('a precondition has no command');
  const check = script(test, scope);
  if (typeof message !== 'string') return { name: 'precondition', run: check };
  const quoted = `'${message.replaceAll("'", String.raw`'\''`)}'`;
  return { name: 'precondition', run: `(\n${check}\n) || { echo ${quoted} >&2; exit 1; }` };
}

function fieldsOf(value: unknown): TaskFields {
  return value instanceof Map ? value : new Map();
}

/** The items of a list, or a single value as a list. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function fail(reason: string): never {
  throw new LeftOut(reason);
}
