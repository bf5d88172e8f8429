import type { Warn } from '../diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../ast.ts';

/** At most this many steps are looked at, so that a hostile file costs no time; what is not looked at may be seen. */
const LOOKUP_LIMIT = 100_000;

/** Finds entries that inner scopes set too, wherever a command or condition could see them. */
export function findOverridden(file: WorkflowFile, warn: Warn): void {
  const { workflows } = file;
  let looks = 0;
  /** Whether inner scopes override a variable that is set around workflows, everywhere in them. */
  const isHidden = (name: string, around: Iterable<string>, isSetElsewhere = false): boolean => {
    let hidden = isSetElsewhere;
    const inside = new Set(around);
    for (const workflow of inside) {
      for (const step of workflows.get(workflow)?.steps ?? []) {
        looks += 1;
        const isOver = step.with.has(name);
        if (looks > LOOKUP_LIMIT || (!isOver && (step.kind === 'run' || step.condition !== undefined))) return false;
        if (isOver || (step.kind === 'call' && workflows.get(step.workflow)?.env.has(name) === true)) hidden = true;
        else if (step.kind === 'call') inside.add(step.workflow);
      }
    }
    return hidden;
  };
  // Hooks see the file's `env` and that of the workflow which was asked for.
  const hasHooks = [file.beforeAll, file.afterAll, file.error, file.finally].some((hook) => hook !== undefined);
  for (const [name, { range }] of hasHooks ? [] : file.env) {
    looks += workflows.size;
    if (looks > LOOKUP_LIMIT) return;
    const others = [...workflows].filter(([, { env }]) => !env.has(name)).map(([workflow]) => workflow);
    if (!isHidden(name, others, others.length < workflows.size)) continue;
    warn({ code: 'overridden', field: `env.${name}`, by: 'scopes' }, { workflow: '' }, range);
  }
  for (const [workflow, { env, steps }] of workflows) {
    for (const [name, { range }] of hasHooks ? [] : env) {
      if (!isHidden(name, [workflow])) continue;
      warn({ code: 'overridden', field: `env.${name}`, by: 'scopes' }, { workflow }, range);
    }
    for (const [index, step] of steps.entries()) {
      if (step.kind === 'run' || step.condition !== undefined) continue;
      for (const [name, { range }] of step.with) {
        if (!isHidden(name, [step.workflow])) continue;
        const owner = { workflow, step: index + 1 };
        warn({ code: 'overridden', field: `with.${name}`, by: 'scopes' }, owner, range);
      }
    }
  }
}
