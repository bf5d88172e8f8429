import type { Diagnostic, DiagnosticList, LookupFailure } from '../../../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../../../frontend/ast.ts';
import { withMembers } from '../../../base/with_members.ts';
import { compile } from '../../../ir/compile.ts';
import { measurePlans, OPERATION_LIMIT } from '../../../ir/plan_size.ts';
import { link, type LookupProblem } from '../../../ir/link.ts';
import type { Plan } from '../../../ir/plan.ts';
import { addUnlinked, addUnresolved } from '../variables/unlinked.ts';

/** Maximum number of operations checked in all. A run checks its own. */
const OPERATION_BUDGET = 1_000_000n;

/** The problems that depend on neither the process environment nor parameters, and those that depend on parameters. */
const SEVERITIES: Readonly<Record<LookupFailure, Diagnostic['severity'] | undefined>> = {
  output: 'error',
  'too much text': 'error',
  'own scope': 'warning',
  'too long': 'warning',
  'long pattern': 'warning',
  'empty directory': 'warning',
  'empty lock': 'warning',
  'secret lock': 'error',
  'empty path': 'warning',
  'secret path': 'error',
  unset: undefined,
};

/**
 * Adds an error for each unresolved reference in a run of a public workflow, or of a private one that nothing calls,
 * and a warning for a reference to a variable with which it fails unless a parameter is given.
 */
export function checkReferences(file: WorkflowFile, findings: DiagnosticList): void {
  const sizeOf = measurePlans(file);
  const called = new Set(
    [...file.workflows.values()].flatMap(({ steps }) =>
      withMembers(steps).flatMap((step) => (step.kind === 'call' ? step.workflow : [])),
    ),
  );
  const seen = new Set<string>();
  const isNew = (offset: number, reference: string): boolean => {
    return seen.size !== seen.add(`${offset} ${reference}`).size;
  };
  let budget = OPERATION_BUDGET;
  for (const [name, workflow] of file.workflows) {
    if (workflow.private && called.has(name)) continue;
    const { operations } = sizeOf(name);
    if (operations > OPERATION_LIMIT || operations > budget) continue;
    budget -= operations;
    const compiled = compile(file, name, [], null);
    if (compiled.kind === 'plan') {
      // Whether a variable has a value depends on the process environment.
      addUnlinked(
        findings,
        file,
        problemsOf(compiled.plan).filter((each) => isNew(each.lookup.offset, each.lookup.name)),
        ({ problem }) => SEVERITIES[problem] ?? 'warning',
      );
    }
    if (compiled.kind !== 'unresolved') continue;
    const unseen = compiled.unresolved.filter(({ range, reference }) => isNew(range.start, reference));
    addUnresolved(findings, name, called.has(name), unseen);
  }
}

/** The problems with references to variables that do not only depend on the process environment. */
function problemsOf(plan: Plan): readonly LookupProblem[] {
  return link(plan, { inherited: {}, dotenv: new Map() }).problems.filter(({ problem }) => {
    return SEVERITIES[problem] !== undefined;
  });
}
