import { DiagnosticList, type Owner, type Warn } from '../diagnostics/diagnostic.ts';
import { findOverridden } from './overridden.ts';
import { shellVariables } from './shell_variables.ts';
import { isCommonlySet } from './common_variables.ts';
import type { Step, Variables, WorkflowFile } from '../ast.ts';

/** A run that is asked for: its workflow, its parameters, and whether the environment has a variable. */
export type LintedRun = Readonly<{
  workflow: string;
  params: ReadonlyMap<string, string>;
  inherits: (name: string) => boolean;
}>;

const FILE: Owner = { workflow: '' };

/**
 * What is odd about the variables, conditions and calls of a valid file, or of what a run goes through: a guess that
 * says too little rather than too much. Takes time linear in the file.
 */
export function lintDataFlow(file: WorkflowFile, asked?: LintedRun): DiagnosticList {
  const findings = new DiagnosticList();
  const listed = [...file.workflows].flatMap(([name, workflow]) => (workflow.private ? [] : [name]));
  const reached = reachable(file, asked === undefined ? listed : [asked.workflow]);
  /** Each variable that nothing sets is told of once. */
  const unset = new Set<string>();
  const warn: Warn = (oddity, owner, range) => {
    if (asked !== undefined && owner.workflow !== '' && !reached.has(owner.workflow)) return;
    if (oddity.code === 'set nowhere' && unset.size === unset.add(oddity.variable).size) return;
    findings.add({ severity: 'warning', owner, range, ...oddity });
  };
  // Where nothing is listed, every workflow is there to be run by its name.
  if (asked === undefined && listed.length > 0) {
    for (const [workflow, { range }] of file.workflows) {
      if (!reached.has(workflow)) warn({ code: 'unreachable workflow' }, { workflow }, range);
    }
  }
  const conditions = stepsOf(file).flatMap(([{ condition }]) => (condition ? condition.text.trim() : []));
  findUnset(file, asked, conditions, warn);
  findDecided(file, asked, warn);
  findNo(file, new Set(conditions), warn);
  findOverridden(file, warn);
  return findings;
}

/** The workflows that runs of some go through. */
function reachable({ workflows }: WorkflowFile, from: readonly string[]): Set<string> {
  const found = new Set(from);
  // What is added to a set while it is gone through is gone through too.
  for (const name of found) {
    for (const step of workflows.get(name)?.steps ?? []) if (step.kind === 'call') found.add(step.workflow);
  }
  return found;
}

function stepsOf(file: WorkflowFile): (readonly [Step, Owner])[] {
  return [...file.workflows].flatMap(([workflow, { steps }]) =>
    steps.map((step, index) => [step, { workflow, step: index + 1 }] as const),
  );
}

type Scope = readonly [field: 'env' | 'with', Variables, Owner];

/** Every scope that the file has. */
function scopesOf(file: WorkflowFile): Scope[] {
  const envs = [...file.workflows].map(([workflow, { env }]): Scope => ['env', env, { workflow }]);
  const withs = stepsOf(file).map(([step, owner]): Scope => ['with', step.with, owner]);
  return [['env', file.env, FILE], ...envs, ...withs];
}

/** Variables that commands use as if they were set, though nothing sets them and nobody seems to expect them. */
function findUnset(file: WorkflowFile, asked: LintedRun | undefined, conditions: readonly string[], warn: Warn): void {
  const hooks = [file.beforeAll, file.afterAll, file.error, file.finally].map((text) => [text, FILE] as const);
  const steps = stepsOf(file).map(([step, owner]) => [step.kind === 'run' ? step.command : undefined, owner] as const);
  const texts = [...hooks, ...steps].flatMap(([text, owner]) => {
    return text === undefined ? [] : [{ text, owner, ...shellVariables(text.text) }];
  });
  const set = new Set<string>();
  for (const [, variables] of scopesOf(file)) for (const name of variables.keys()) set.add(name);
  const described = [...file.workflows.values()].flatMap(({ description }) => namesIn(description));
  const expected = new Set([...conditions.flatMap(namesIn), ...described]);
  for (const text of texts) for (const name of text.expected) expected.add(name);
  const isKnown = (name: string): boolean =>
    set.has(name) || expected.has(name) || isCommonlySet(name) || asked?.params.has(name) === true;
  for (const { text, owner, read } of texts) {
    for (const variable of read) {
      if (isKnown(variable) || asked?.inherits(variable) === true) continue;
      warn({ code: 'set nowhere', variable, known: set }, owner, text.range);
    }
  }
}

function namesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

/** Conditions that nothing can change, and what parameters make useless. */
function findDecided(file: WorkflowFile, asked: LintedRun | undefined, warn: Warn): void {
  for (const [{ condition, with: variables }, owner] of stepsOf(file)) {
    for (const [name, { range }] of variables) {
      const field = `with.${name}`;
      if (asked?.params.has(name) === true) warn({ code: 'overridden', field, by: 'parameter' }, owner, range);
    }
    const text = condition?.text.trim() ?? '';
    const value = asked?.params.has(text) === true ? undefined : variables.get(text);
    if (condition === undefined) continue;
    // What an output will be is not known.
    const isKnown = value !== undefined && value.references.length === 0;
    const holds = CONSTANT.get(text) ?? (isKnown ? value.text !== '' : undefined);
    const by = value === undefined ? 'the command' : `'with.${text}'`;
    if (holds !== undefined) warn({ code: 'condition decided', by, holds }, owner, condition.range);
  }
}

const CONSTANT: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  [':', true],
  ['false', false],
]);

/** Whether a value means no to people, but yes to a condition. */
export function looksNegative(value: string): boolean {
  return /^\s*(?:0|false|no|off)\s*$/i.test(value);
}

function findNo(file: WorkflowFile, tested: ReadonlySet<string>, warn: Warn): void {
  for (const [field, variables, owner] of scopesOf(file)) {
    for (const [variable, { text, range }] of variables) {
      if (!tested.has(variable) || !looksNegative(text)) continue;
      warn({ code: 'no means yes', field: `${field}.${variable}`, variable }, owner, range);
    }
  }
}
