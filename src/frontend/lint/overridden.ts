import type { Step, Variables, WorkflowFile } from '../ast.ts';
import { withMembers } from '../../base/with_members.ts';
import type { Owner, Warn } from '../diagnostics/diagnostic.ts';
import type { SourceRange } from '../syntax/source_range.ts';
import { FILE, referredVariables, stepsOf } from './scopes.ts';

/** Maximum number of steps to visit, so that a hostile file costs no time. Later entries are not checked. */
const VISIT_LIMIT = 100_000;

/** Warns of entries in `with` that a parameter overrides, unless they have its value anyway: `"A": "${vars.A}"`. */
export function findOverriddenByParameters(file: WorkflowFile, params: ReadonlyMap<string, string>, warn: Warn): void {
  for (const { step, owner } of stepsOf(file)) {
    for (const [name, { text, range }] of step.with) {
      if (params.has(name) && !passesOn(name, text))
        warn({ code: 'overridden', field: `with.${name}`, by: 'parameter' }, owner, range);
    }
  }
}

/** Whether a value is that of the outer variable of the same name. */
export function passesOn(name: string, text: string): boolean {
  return text === `\${vars.${name}}` || (text.startsWith(`\${vars.${name}:-`) && text.indexOf('}') === text.length - 1);
}

/** Warns of entries that inner scopes override in every command and condition that could use them. */
export function findOverridden(file: WorkflowFile, warn: Warn): void {
  let visits = 0;

  /** The variables that values and directories refer to, in any scope. */
  const referred = referredVariables(file);

  function checkFileEnv(): void {
    const { env, workflows } = file;
    for (const [name, { range }] of env) {
      visits += workflows.size;
      if (visits > VISIT_LIMIT) return;
      const others = [...workflows].flatMap(([workflow, inner]) => (inner.env.has(name) ? [] : [workflow]));
      if (isOverridden(name, others, others.length < workflows.size)) report('env', name, FILE, range);
    }
  }

  /** A `with` that the step's condition uses has an effect. */
  function checkStep(step: Step, owner: Owner): void {
    if (step.kind === 'call' && step.condition === undefined) check('with', step.with, owner, [step.workflow]);
  }

  function check(field: 'env' | 'with', variables: Variables, owner: Owner, workflows: readonly string[]): void {
    for (const [name, { range }] of variables) {
      if (isOverridden(name, workflows)) report(field, name, owner, range);
    }
  }

  /**
   * Whether inner scopes override a variable everywhere in some workflows. `inOthers` is the result for all others.
   */
  function isOverridden(name: string, workflows: readonly string[], inOthers = false): boolean {
    if (referred.has(name)) return false;
    let found = inOthers;
    const inside = new Set(workflows);
    for (const workflow of inside) {
      const { error, finally: last, steps = [] } = file.workflows.get(workflow) ?? {};
      if (error !== undefined || last !== undefined) return false;
      for (const step of withMembers(steps)) {
        visits += 1;
        const inWith = step.with.has(name) || step.matrix?.has(name) === true;
        const isSeen = !inWith && (step.kind === 'run' || step.condition !== undefined);
        if (visits > VISIT_LIMIT || isSeen) return false;
        const inEnv = step.kind === 'call' && file.workflows.get(step.workflow)?.env.has(name) === true;
        if (inWith || inEnv) found = true;
        else if (step.kind === 'call') inside.add(step.workflow);
      }
    }
    return found;
  }

  function report(field: 'env' | 'with', name: string, owner: Owner, range: SourceRange): void {
    warn({ code: 'overridden', field: `${field}.${name}`, by: 'scopes' }, owner, range);
  }

  const { beforeAll, afterAll, error, finally: last } = file;
  // Hooks see the `env` of the file and of the requested workflow.
  const hasHooks = [beforeAll, afterAll, error, last].some((hook) => hook !== undefined);
  if (!hasHooks) checkFileEnv();
  for (const [workflow, { env }] of hasHooks ? [] : file.workflows) {
    check('env', env, { workflow }, [workflow]);
  }
  for (const { step, owner } of stepsOf(file)) checkStep(step, owner);
}
