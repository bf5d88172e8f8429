import { dirname, join } from 'node:path';
import { brokenRule, VariableName } from '../../../../../frontend/schema/schema.ts';
import { checkedStep } from '../../checked_step.ts';
import { ExpansionLimit } from '../expansion_limit.ts';
import { sourceDirectory } from '../../import_kind.ts';
import { attempt, calledBy, LeftOut, named } from '../../imported.ts';
import type { Imported, ImportedStep, ImportedWorkflow, Unconverted } from '../../imported.ts';
import { expandsVariable, ImportedUses } from '../../imported_uses.ts';
import { reasonsAgainstCalls, type ConvertedTask } from './task_calls.ts';
import { TaskCommands, FILE_FIELDS, filesOf } from './task_commands.ts';
import { fieldsOf, listOf, textOf, callOfTask, described, type TaskFields } from './task_fields.ts';
import {
  callValue,
  computedVariable,
  computingSteps,
  constantValue,
  openDefault,
  ownDefault,
  startsAtCaller,
} from './task_template.ts';
import type { ComputedVariable, TaskScope } from './task_template.ts';

/** Fields of the file that are converted, or have no effect on a workflow. */
const IGNORED_FIELDS = new Set(
  'version vars env dotenv tasks silent method output interval run set shopt includes'.split(' '),
);

/** Fields of a task that are converted or need no conversion. */
const CONVERTED = new Set(
  'cmds cmd deps desc summary vars env dir internal silent ignore_error aliases requires preconditions prompt run label interactive prefix method'.split(
    ' ',
  ),
);

/** The tasks of a Taskfile as workflows. */
export function importTaskfile(path: string, root: unknown): Imported {
  const fields = fieldsOf(root);
  return new Taskfile(path, fields, fieldsOf(fields.get('tasks'))).convert();
}

class Taskfile {
  readonly #directory: string;
  readonly #root: TaskFields;
  readonly #tasks: TaskFields;
  readonly #leftOut: (string | Unconverted)[] = [];
  readonly #commands: TaskCommands;
  /** The exported variables of the file. */
  readonly #env = new Map<string, string>();
  /** The fixed variables that commands expand. */
  readonly #expanded = new Map<string, string>();
  /** The tasks with a field that is left out, by field. */
  readonly #dropped = new Map<string, string[]>();
  #unusable: string | undefined;

  constructor(path: string, root: TaskFields, tasks: TaskFields) {
    this.#directory = dirname(path);
    this.#root = root;
    this.#tasks = tasks;
    this.#commands = new TaskCommands(root, tasks);
  }

  convert(): Imported {
    for (const key of this.#root.keys()) {
      if (!IGNORED_FIELDS.has(String(key))) this.#leftOut.push(`'${String(key)}' is left out`);
    }
    if (this.#root.has('includes')) this.#leaveOutIncludes(fieldsOf(this.#root.get('includes')));
    const scope = this.#withVariables(this.#root.get('vars'), {
      task: '',
      fixed: new Map(),
      open: new Map(),
      unknown: new Map(),
      computed: new Map(),
      used: new Set(),
      expanded: this.#expanded,
      expansions: new ExpansionLimit(),
      uses: new ImportedUses(),
      isText: mentions(this.#tasks),
      missing: this.#root.has('includes') ? 'an included file' : undefined,
    });
    const env = attempt(() => this.#exported(this.#root.get('env'), scope));
    if (env instanceof LeftOut) this.#unusable = env.message;
    else for (const [name, value] of env) this.#env.set(name, value);
    const dotenv = this.#dotenv(scope);
    const converted = [...this.#tasks].flatMap(([key, task]): ConvertedTask[] => {
      const name = String(key);
      const fields = task instanceof Map ? task : new Map([['cmds', task]]);
      const workflow = attempt(() => this.#workflow(name, fields, scope));
      if (!(workflow instanceof LeftOut)) return [workflow];
      this.#leftOut.push({ name, reason: workflow.message });
      return [];
    });
    const reasons = reasonsAgainstCalls(converted);
    for (const [name, reason] of reasons) this.#leftOut.push({ name, reason });
    const workflows = converted.map(({ workflow }) => workflow).filter(({ name }) => !reasons.has(name));
    for (const [field, names] of this.#dropped) {
      const runs = names.length === 1 ? 'it runs' : 'they run';
      this.#leftOut.push(`'${field}' of ${named('task', names)} is left out: ${runs} every time`);
    }
    const all = new Map([...this.#expanded, ...this.#env]);
    const call = (name: string): ImportedWorkflow | undefined => callOfTask(this.#directory, this.#tasks, name);
    return { noun: 'task', default: 'default', dotenv, env: all, workflows, leftOut: this.#leftOut, call };
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
    const files = attempt(() => listOf(this.#root.get('dotenv')).map((file) => constantValue(file, scope)));
    if (!(files instanceof LeftOut)) {
      return files.map((file) => (file.startsWith('/') ? file : join(this.#directory, file))).toReversed();
    }
    this.#unusable = `'dotenv' is left out: ${files.message}`;
    return [];
  }

  /** The scope with more variables. */
  #withVariables(given: unknown, scope: TaskScope): TaskScope {
    const [fixed, open, unknown, computed] = [
      new Map(scope.fixed),
      new Map(scope.open),
      new Map(scope.unknown),
      new Map(scope.computed),
    ];
    for (const [key, value] of fieldsOf(given)) {
      const name = String(key);
      const inner = { ...scope, fixed, open, unknown, computed };
      const command = fieldsOf(value).get('sh');
      const own = ownDefault(name, value);
      const found = attempt((): string | ComputedVariable | { open: string } => {
        if (brokenRule(VariableName, name) !== undefined) throw new LeftOut('no variable can have this name');
        const dir = scope.task === '' ? this.#directory : undefined;
        if (typeof command === 'string') return { ...computedVariable(command, inner), dir };
        return own === undefined ? constantValue(value, inner) : { open: openDefault(name, own, inner) };
      });
      for (const known of [fixed, open, unknown, computed]) known.delete(name);
      if (found instanceof LeftOut) unknown.set(name, found.message);
      else if (typeof found === 'string') fixed.set(name, found);
      else if ('open' in found) open.set(name, found.open);
      else computed.set(name, found);
    }
    return { ...scope, fixed, open, unknown, computed };
  }

  /** The values of exported variables. */
  #exported(given: unknown, scope: TaskScope): Map<string, string> {
    const unknown = new Map([
      ...scope.unknown,
      ...[...scope.computed.keys()].map((name) => [name, 'a command prints it'] as const),
    ]);
    const values = [...fieldsOf(given)].map(([key, value]) => {
      const name = String(key);
      const text = attempt(() => callValue(value, { ...scope, unknown, computed: new Map() }));
      if (text instanceof LeftOut) throw new LeftOut(`the exported variable '${name}' is left out: ${text.message}`);
      if (scope.task !== '' && this.#env.has(name)) {
        throw new LeftOut(`it exports the variable '${name}', which the file exports with another value`);
      }
      // The environment overrides exported variables.
      return [name, /^[^${}]*$/.test(text) ? `\${vars.${name}:-${text}}` : text] as const;
    });
    return new Map(values);
  }

  #workflow(name: string, fields: TaskFields, outer: TaskScope): ConvertedTask {
    if (name.includes('*')) throw new LeftOut('its name is a pattern');
    let dropped: readonly string[] = [...fields.keys()].map(String).filter((key) => FILE_FIELDS.has(key));
    for (const key of [...fields.keys()].map(String)) {
      if (!FILE_FIELDS.has(key) && !CONVERTED.has(key)) throw new LeftOut(`its '${key}' has no counterpart`);
    }
    const uses = new ImportedUses();
    const own = new Set([...fieldsOf(fields.get('vars')).keys()].map(String));
    const expanded = new Map<string, string>();
    const isText = (variable: string): boolean => own.has(variable) || outer.isText(variable);
    const base = { ...outer, task: name, used: new Set<string>(), uses, isText };
    const scope = { ...this.#withVariables(fields.get('vars'), base), used: new Set<string>() };
    const env = this.#exported(fields.get('env'), scope);
    const { before, commands: unchecked } = this.#commands.steps(fields, scope);
    const files = attempt(() => filesOf(fields, this.#root.get('method'), scope));
    const checked = files instanceof LeftOut ? undefined : checkedStep(unchecked, files);
    if (checked !== undefined) dropped = dropped.filter((field) => field === 'watch');
    const commands = [...before, ...(checked === undefined ? unchecked : [checked])];
    if (this.#unusable !== undefined && commands.some((step) => 'run' in step)) throw new LeftOut(this.#unusable);
    const steps = [...computingSteps(scope, fields.has('dir')), ...commands];
    const hasCalls = calledBy(steps).length > 0;
    for (const field of dropped) this.#dropped.set(field, [...(this.#dropped.get(field) ?? []), name]);
    const workflow: ImportedWorkflow = {
      name,
      ...described(fields),
      private: fields.get('internal') === true,
      required: requirements(fields.get('requires')),
      env: hasCalls ? expanded : new Map([...expanded, ...env]),
      dir: this.#workingDirectory(fields.get('dir'), scope),
      // The variables of a task do not hold in the tasks that it calls.
      steps: hasCalls ? steps.map((step) => withVariables(step, env)) : steps,
    };
    return { workflow, uses };
  }

  #workingDirectory(dir: unknown, scope: TaskScope): string | undefined {
    if (startsAtCaller(dir)) return callValue(dir, scope);
    const own = dir === undefined ? '.' : constantValue(dir, scope);
    return sourceDirectory(own.startsWith('/') ? own : join(this.#directory, own));
  }
}

/** A command with more variables. */
function withVariables(step: ImportedStep, env: ReadonlyMap<string, string>): ImportedStep {
  return 'run' in step && env.size > 0 ? { ...step, with: new Map([...env, ...(step.with ?? [])]) } : step;
}

/** Whether the commands read a variable from the environment. */
function mentions(tasks: TaskFields): (name: string) => boolean {
  const text = textOf(tasks);
  return (name) => expandsVariable(text, name);
}

/** The variables that must have a value. */
function requirements(requires: unknown): string[] {
  const names = listOf(fieldsOf(requires).get('vars'));
  return names.map((name) => {
    if (typeof name !== 'string') throw new LeftOut("its 'requires' has no counterpart");
    return name;
  });
}
