import { dirname, join } from 'node:path';
import { brokenRule, VariableName } from '../../../../../frontend/schema/schema.ts';
import { checkedStep } from '../../checked_step.ts';
import { ExpansionLimit } from '../expansion_limit.ts';
import { sourceDirectory } from '../../import_kind.ts';
import { attempt, calledBy, LeftOut, named } from '../../imported.ts';
import type { Imported, ImportedStep, ImportedWorkflow, Unconverted } from '../../imported.ts';
import { expandsVariable, ImportedUses } from '../../imported_uses.ts';
import { reasonsAgainstCalls, type ConvertedTask } from './task_calls.ts';
import { FILE_FIELDS, filesOf, taskSteps } from './task_commands.ts';
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
import type { TaskScope, TaskVariable } from './task_template.ts';

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
  return new Taskfile(path, fieldsOf(root)).convert();
}

class Taskfile {
  readonly #directory: string;
  readonly #file: TaskFields;
  readonly #leftOut: (string | Unconverted)[] = [];
  /** The exported variables of the file. */
  readonly #env = new Map<string, string>();
  /** The tasks with a field that is left out, by field. */
  readonly #dropped = new Map<string, string[]>();
  #unusable: string | undefined;

  constructor(path: string, file: TaskFields) {
    this.#directory = dirname(path);
    this.#file = file;
  }

  convert(): Imported {
    for (const key of this.#file.keys()) {
      if (!IGNORED_FIELDS.has(String(key))) this.#leftOut.push(`'${String(key)}' is left out`);
    }
    if (this.#file.has('includes')) this.#leaveOutIncludes(fieldsOf(this.#file.get('includes')));
    const tasks = fieldsOf(this.#file.get('tasks'));
    const text = textOf(tasks);
    const scope = this.#withVariables(this.#file.get('vars'), {
      file: this.#file,
      task: '',
      variables: new Map(),
      used: new Set(),
      expanded: new Map(),
      expansions: new ExpansionLimit(),
      uses: new ImportedUses(),
      isText: (name) => expandsVariable(text, name),
      missing: this.#file.has('includes') ? 'an included file' : undefined,
    });
    const env = attempt(() => this.#exported(this.#file.get('env'), scope));
    if (env instanceof LeftOut) this.#unusable = env.message;
    else for (const [name, value] of env) this.#env.set(name, value);
    const dotenv = this.#dotenv(scope);
    const converted = [...tasks].flatMap(([key, task]): ConvertedTask[] => {
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
    const all = new Map([...scope.expanded, ...this.#env]);
    const call = (name: string): ImportedWorkflow | undefined => callOfTask(this.#directory, tasks, name);
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
    const files = attempt(() => listOf(this.#file.get('dotenv')).map((file) => constantValue(file, scope)));
    if (!(files instanceof LeftOut)) {
      return files.map((file) => (file.startsWith('/') ? file : join(this.#directory, file))).toReversed();
    }
    this.#unusable = `'dotenv' is left out: ${files.message}`;
    return [];
  }

  /** The scope with more variables. */
  #withVariables(given: unknown, outer: TaskScope): TaskScope {
    const variables = new Map(outer.variables);
    const scope = { ...outer, variables };
    for (const [key, value] of fieldsOf(given)) {
      const name = String(key);
      const found = attempt(() => this.#variable(name, value, scope));
      variables.set(name, found instanceof LeftOut ? { kind: 'unknown', text: found.message } : found);
    }
    return scope;
  }

  #variable(name: string, value: unknown, scope: TaskScope): TaskVariable {
    if (brokenRule(VariableName, name) !== undefined) throw new LeftOut('no variable can have this name');
    const command = fieldsOf(value).get('sh');
    if (typeof command === 'string') {
      return computedVariable(command, scope, scope.task === '' ? this.#directory : undefined);
    }
    const own = ownDefault(name, value);
    if (own === undefined) return { kind: 'fixed', text: constantValue(value, scope) };
    return { kind: 'open', text: openDefault(name, own, scope) };
  }

  /** The values of exported variables. */
  #exported(given: unknown, outer: TaskScope): ReadonlyMap<string, string> {
    const printed = { kind: 'unknown', text: 'a command prints it' } as const;
    const variables = [...outer.variables].map(
      ([name, variable]) => [name, variable.kind === 'computed' ? printed : variable] as const,
    );
    const scope = { ...outer, variables: new Map(variables) };
    const values = [...fieldsOf(given)].map(([key, value]) => {
      const name = String(key);
      const text = attempt(() => callValue(value, scope));
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
    const isText = (variable: string): boolean => own.has(variable) || outer.isText(variable);
    const base = { ...outer, task: name, used: new Set<string>(), uses, isText };
    const scope = { ...this.#withVariables(fields.get('vars'), base), used: new Set<string>() };
    const env = this.#exported(fields.get('env'), scope);
    const { before, commands: unchecked } = taskSteps(fields, scope);
    const files = attempt(() => filesOf(fields, scope));
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
      env: hasCalls ? new Map() : env,
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

/** The variables that must have a value. */
function requirements(requires: unknown): string[] {
  const names = listOf(fieldsOf(requires).get('vars'));
  return names.map((name) => {
    if (typeof name !== 'string') throw new LeftOut("its 'requires' has no counterpart");
    return name;
  });
}
