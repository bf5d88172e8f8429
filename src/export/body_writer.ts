import { isExitCode, conditionParts, READY_LIMIT } from '../ir/ops.ts';
import { splice } from '../ir/output_variables.ts';
import { at, isWorkflowHook } from '../ir/plan.ts';
import type { ConditionOp, HookOp, ParallelOp, Plan, RunOp } from '../ir/plan.ts';
import type { GroupOptions } from '../frontend/ast.ts';
import type { Output, StepOptions } from '../frontend/schema/option_fields.ts';
import { FunctionTable } from './function_table.ts';
import { inputCheckLines } from './input_lines.ts';
import { EXIT_CODE } from '../base/exit_code.ts';
import { OutputNames, UNUSED } from './output_names.ts';
import { planTree, type GroupMember, type Item } from './plan_tree.ts';
import { groupQuestions, questionWord } from './question_lines.ts';
import { ScopeWords } from './scope_words.ts';
import { SecretNumbers } from './secret_numbers.ts';
import { quote, seconds } from './bash_words.ts';

/** Functions that describe a plan: `where` returns the position of an op, `shown` removes control characters. */
export type PlanDescriber = Readonly<{
  where: (op: { readonly offset: number }) => string;
  shown: (text: string) => string;
}>;

/** The position of an item: its call, the frame whose variables are already in scope, and whether it is in a group. */
type ItemPlace = Readonly<{ call: number; frame: number; isInGroup: boolean }>;

/** Writes the workflows of a plan as functions. */
export class BodyWriter {
  readonly #plan: Plan;
  readonly #source: PlanDescriber;
  readonly #outputs: OutputNames;
  readonly scope: ScopeWords;
  readonly secrets: SecretNumbers;
  readonly functions = new FunctionTable();
  /** The hooks of workflows, by call. */
  readonly #hooks = new Map<number, HookOp[]>();
  /** The calls with steps in the background. */
  readonly #serving: ReadonlySet<number>;

  constructor(plan: Plan, source: PlanDescriber) {
    this.#plan = plan;
    this.#source = source;
    this.#outputs = new OutputNames(plan);
    this.scope = new ScopeWords(plan, this.#outputs);
    this.secrets = new SecretNumbers(plan, this.scope);
    this.#serving = new Set(plan.ops.flatMap((op) => (op.kind === 'stop' ? [op.call] : [])));
    for (const op of plan.ops) {
      if (isWorkflowHook(op)) this.#hooks.set(op.call, [...(this.#hooks.get(op.call) ?? []), op]);
    }
  }

  /** Writes all workflows. Returns the name of the requested one's function. */
  write(): string {
    const { workflow, frame } = at(this.#plan.calls, 0);
    const items = this.#items(planTree(this.#plan), { call: 0, frame, isInGroup: false });
    return this.functions.add(workflow, this.#title(0), [
      this.#workflowLine(0),
      ...this.#serve(0, items),
      ...this.#hookLines(0),
    ]);
  }

  #title(call: number): string {
    return `Workflow '${this.#source.shown(at(this.#plan.calls, call).workflow)}'`;
  }

  /** The name of the workflow, for messages. */
  #workflowLine(call: number): string {
    return `local wf_workflow=${quote(this.#source.shown(at(this.#plan.calls, call).workflow))}`;
  }

  /** The lines of a call. Its steps in the background are stopped after them. */
  #serve(call: number, lines: readonly string[]): readonly string[] {
    return this.#serving.has(call) ? ['local -a wf_servers=()', ...lines, 'wf_stop_servers'] : lines;
  }

  #items(items: readonly Item[], place: ItemPlace): readonly string[] {
    return items.flatMap((item) => this.#item(item, place));
  }

  #item(item: Item, place: ItemPlace): readonly string[] {
    switch (item.kind) {
      case 'step':
        return [this.#comment(item.op), ...this.#step(item.op, item.index, place)];
      case 'condition':
        return this.#condition(item.op, item.body, place);
      case 'check':
        return this.#items(item.body, place);
      case 'call':
        return this.#call(item.call, item.body, place);
      case 'group':
        return [this.#comment(item.op), ...this.#group(item, place)];
    }
  }

  #comment(op: RunOp | ConditionOp | ParallelOp): string {
    return `# ${this.#source.shown(this.#source.where(op))} step ${op.step}`;
  }

  #step(op: RunOp, index: number, { frame, isInGroup }: ItemPlace): readonly string[] {
    const { kind: _k, name, command: text, reads, errexit, options, question, frame: _f, ...rest } = op;
    const { dir: _d, dirLookup: _l, call: _c, step: _s, offset: _o, secrets: _s2, ready, ...others } = rest;
    // A new field of a step does not compile until the script handles it.
    others satisfies Record<string, never>;
    const frames = this.scope.between(frame, op.frame);
    const { command, variables } = this.scope.command(text, reads);
    const tested = ready === undefined ? [] : [ready];
    const words = [
      ...(options.background === undefined ? [] : [quote(`background=${this.#source.shown(name)}`)]),
      ...tested.flatMap((each) => this.#readyWords(each)),
      ...(errexit === true ? ['errexit'] : []),
      ...this.scope.directory(op),
      ...this.secrets.options(op),
      ...Object.values(this.#optionWords(options, index)).flat(),
      ...this.#exitCodeWord(index),
      ...questionWord(op, isInGroup ? index : null, this.scope, this.#source.shown),
    ];
    const step = ['wf_step', quote(this.#source.shown(name)), command, ...words];
    const asked = question === undefined ? [] : this.scope.needs(question.text, question.reads);
    const needs = [...this.scope.needs(text, reads), ...this.scope.needsOf([...frames, ...tested]), ...asked];
    return [...needs, withVariables(step, [...this.scope.variables(frames), ...variables])];
  }

  /** The variable that gets the exit code of a step, if anything refers to it. */
  #exitCodeWord(index: number): readonly string[] {
    const variable = this.#outputs.ofStep(index, EXIT_CODE);
    const isRead = variable !== UNUSED && isExitCode(this.#plan, { from: index, output: EXIT_CODE });
    return isRead ? [`exit_code=${variable}`] : [];
  }

  /** The words for the test of readiness in a frame. */
  #readyWords(frame: number): readonly string[] {
    const [[name, text, reads = []] = ['', '']] = this.scope.frame(frame).vars;
    if (name !== 'ready.run') return this.scope.variables([frame]);
    const { command, variables } = this.scope.command(text, reads);
    return [`${name}=${command}`, ...variables.map((each) => `test:${each}`)];
  }

  /** The words for a step's options. A new option does not compile until it has words. */
  #optionWords(
    { retry, timeout, allowFailure, outputs, background, ready }: StepOptions,
    index: number,
  ): Record<keyof StepOptions, string[]> {
    const readLine = ([name, source]: Output): string => {
      const path = source === 'text' ? source : JSON.stringify(source);
      return quote(`output:${this.#outputs.ofStep(index, name)}=${path}`);
    };
    return {
      retry: retry === null ? [] : [`attempts=${retry.maxAttempts}`, `delay=${seconds(retry.delay)}`],
      timeout: timeout === null && ready === undefined ? [] : [`timeout=${seconds(timeout ?? READY_LIMIT)}`],
      allowFailure: allowFailure ? ['allow_failure'] : [],
      outputs: outputs.map(readLine),
      // See `questionWord`.
      confirm: [],
      // Only resumed runs use them.
      onCrash: [],
      onResume: [],
      background: background === 'grouped' ? ['grouped'] : [],
      // See `#readyWords`.
      ready: [],
    };
  }

  #condition(op: ConditionOp, body: readonly Item[], place: ItemPlace): readonly string[] {
    const frames = this.scope.between(place.frame, op.frame);
    const { code, reads, variable } = conditionParts(op.test);
    const label = `step ${op.step}`;
    const lines = this.#items(body, place).map((line) => `  ${line}`);
    const inner = lines.length === 0 ? ['  :'] : lines;
    const end = [...inner, 'fi'];
    if (variable !== undefined) {
      const words = ['if wf_is_set', quote(label), variable];
      const line = `${withVariables(words, this.scope.variables(frames))}; then`;
      return [this.#comment(op), ...this.scope.needsOf(frames, new Set([variable])), line, ...end];
    }
    const { command, variables } = this.scope.command(code, reads);
    const names = new Set(splice(code, reads, () => ' ').match(/[A-Za-z_]\w*/g));
    const needs = [...this.scope.needs(code, reads), ...this.scope.needsOf(frames, names)];
    const words = ['if wf_holds', quote(label), command, ...this.scope.directory(op)];
    const line = `${withVariables(words, [...this.scope.variables(frames), ...variables])}; then`;
    return [this.#comment(op), ...needs, line, ...end];
  }

  #call(index: number, body: readonly Item[], { frame: outer, isInGroup }: ItemPlace): readonly string[] {
    const call = at(this.#plan.calls, index);
    const { workflow, frame } = call;
    const frames = this.scope.between(outer, frame);
    const first = frames.findIndex((each) => /^(?:with|matrix) of /.test(this.scope.frame(each).source));
    const [own, given] = first === -1 ? [frames, []] : [frames.slice(0, first), frames.slice(first)];
    const isEmpty = !hasSteps(body);
    const lines = [
      this.#workflowLine(index),
      ...scopeLine(this.scope.variables(own), true),
      ...dotenvLine(this.scope.dotenv(own)),
      ...inputCheckLines(
        own.map((each) => this.scope.frame(each)),
        isEmpty,
      ),
      ...this.#serve(index, this.#items(body, { call: index, frame, isInGroup })),
      ...this.#hookLines(index),
    ];
    const name = this.functions.add(workflow, this.#title(index), lines);
    const words = [isEmpty ? 'wf_call_empty' : 'wf_call', name, ...this.scope.variables(given)];
    const from = call.from === null ? '' : ` step ${call.from.step}`;
    return [...this.scope.needsOf(given), `${words.join(' ')} #${from}`.trimEnd().replace(/ #$/, '')];
  }

  /** The lines for the hooks of a call's workflow, at the end of its function. */
  #hookLines(call: number): readonly string[] {
    return (this.#hooks.get(call) ?? []).map((hook) => `wf_workflow_${this.hookLine(hook)}`);
  }

  /** The command line of a hook, without the `wf_` in front. */
  hookLine(op: HookOp): string {
    const { hook, when, command: text, reads, errexit, dir = null, dirLookup } = op;
    const { command, variables } = this.scope.command(text, reads);
    const directory = this.scope.directory(dirLookup === undefined ? { dir } : { dir, dirLookup });
    const words = ['hook', hook, when, command, ...(errexit === true ? ['errexit'] : []), ...directory];
    return withVariables([...words, ...this.secrets.options(op)], variables);
  }

  #group(item: Item & { kind: 'group' }, { call, frame: outer }: ItemPlace): readonly string[] {
    const { op, members } = item;
    const { workflow } = at(this.#plan.calls, call);
    const frames = this.scope.between(outer, op.frame);
    const hasVariables = frames.some((each) => this.scope.frame(each).vars.length > 0);
    const names = members.map(({ name, body }, index) => {
      const step = `${op.step}.${index + 1}`;
      const lines = this.#items(body, { call, frame: op.frame, isInGroup: true });
      const title = `Member '${this.#source.shown(name)}' of step ${op.step} of workflow '${this.#source.shown(workflow)}'`;
      return [quote(this.#source.shown(name)), this.functions.add(`${workflow} step ${step}`, title, lines)].join(' ');
    });
    const words = ['wf_group', quote(this.#source.shown(op.name)), ...Object.values(groupWords(op.group)).flat(), '--'];
    const questions = groupQuestions([item], op.frame, this.scope, this.#source.shown, firstOp(members));
    const lines = [
      ...scopeLine([], hasVariables),
      ...questions,
      `${words.join(' ')} \\`,
      ...names.map((each) => `  ${each} \\`),
    ];
    const last = lines.pop()?.replace(/ \\$/, '') ?? '';
    const title = `Step ${op.step} of workflow '${this.#source.shown(workflow)}': its members run side by side`;
    const name = this.functions.add(`${workflow} step ${op.step}`, title, [...lines, last]);
    const enter = members.some(({ body }) => hasSteps(body)) ? 'wf_call' : 'wf_call_empty';
    return [...this.scope.needsOf(frames), [enter, name, ...this.scope.variables(frames)].join(' ')];
  }
}

/** The index of the first step of a group's members. */
function firstOp(members: readonly GroupMember[]): number {
  const indexes = members.flatMap(({ body }) => body.map((item) => firstIndex(item)));
  return Math.min(...indexes);
}

function firstIndex(item: Item): number {
  if ('index' in item) return item.index;
  return item.kind === 'call' ? Math.min(...item.body.map((each) => firstIndex(each))) : firstOp(item.members);
}

function withVariables(words: readonly string[], variables: readonly string[]): string {
  return [...words, ...(variables.length === 0 ? [] : ['--', ...variables])].join(' ');
}

/** The line that adds variables to the scope, including those passed by the caller. */
function scopeLine(variables: readonly string[], isGiven: boolean): readonly string[] {
  const added = [...variables, ...(isGiven ? ['"$@"'] : [])];
  return added.length === 0 ? [] : [`local -a wf_scope=("\${wf_scope[@]}" ${added.join(' ')})`];
}

/** The line that adds the entries of dotenv files. */
function dotenvLine(entries: readonly string[]): readonly string[] {
  return entries.length === 0 ? [] : [`local -a wf_dotenv=("\${wf_dotenv[@]}" ${entries.join(' ')})`];
}

/** The words for the options of a group that differ from the defaults. */
function groupWords({ maxParallel, failFast, output }: GroupOptions): Record<keyof GroupOptions, string[]> {
  return {
    maxParallel: maxParallel === null ? [] : [`max_parallel=${maxParallel}`],
    failFast: failFast ? ['fail_fast'] : [],
    output: output === 'lines' ? [] : ['grouped'],
  };
}

/** Whether items contain a command of a step. Without one, a call that cannot start fails the run itself. */
function hasSteps(items: readonly Item[]): boolean {
  return items.some((item) => {
    if (item.kind === 'step') return true;
    return item.kind === 'group' ? item.members.some(({ body }) => hasSteps(body)) : hasSteps(item.body);
  });
}
