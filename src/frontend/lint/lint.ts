import type { WorkflowFile } from '../ast.ts';
import { DiagnosticList, type Owner, type Warn } from '../diagnostics/diagnostic.ts';
import { withMembers } from '../../base/with_members.ts';
import { conditionsOf, findConstantConditions, findNegativeValues } from './conditions.ts';
import type { Lint, LintedRun } from './linted_run.ts';
import { dotenvTexts, fileScopes, variableScopes } from './scopes.ts';
import { findOverridden, findOverriddenByParameters, passesOn } from './overridden.ts';
import { findVariableCommands } from './variable_commands.ts';
import { findUndefinedVariables } from './undefined_variables.ts';

/**
 * Finds likely mistakes in the variables, conditions and calls of a valid file, or of the workflows that a run reaches.
 * A doubtful case is not reported. Runs in time linear in the file.
 */
export function lintDataFlow(file: WorkflowFile, run?: LintedRun, more: readonly Lint[] = []): DiagnosticList {
  const diagnostics = new DiagnosticList();
  const listed = [...file.workflows].flatMap(([name, workflow]) => (workflow.private ? [] : [name]));
  const named = file.default === undefined ? listed : [...listed, file.default];
  const reached = reachable(file, run === undefined ? named : [run.workflow]);
  const isShown = ({ workflow }: Owner): boolean => run === undefined || workflow === '' || reached.has(workflow);
  const warn: Warn = (detail, owner, range) => {
    if (!isShown(owner)) return;
    const isError = detail.code === 'variable as command' && detail.isCondition;
    diagnostics.add({ severity: isError ? 'error' : 'warning', owner, range, ...detail });
  };
  // If all workflows of a file are private, any of them may be run by name.
  if (run === undefined && listed.length > 0) findUnreachable(file, reached, warn);
  const conditions = conditionsOf(file);
  // A dotenv file may set any variable.
  if (!namesDotenv(file)) findUndefinedVariables(file, { run, conditions, isShown }, warn);
  findVariableCommands(file, isShown, warn);
  for (const find of more) find(file, run, warn);
  findConstantConditions(file, run, warn);
  // The lint of a run tests the values of its plan instead.
  if (run === undefined) findNegativeValues(file, conditions, warn);
  findOverridden(file, warn);
  findBesideDotenv(file, warn);
  if (run !== undefined) findOverriddenByParameters(file, run.params, warn);
  return diagnostics;
}

/** The workflows that runs of the given workflows reach. */
function reachable({ workflows }: WorkflowFile, roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set(roots);
  // A loop over a set also visits elements that are added during the loop.
  for (const name of reached) {
    for (const step of withMembers(workflows.get(name)?.steps ?? []))
      if (step.kind === 'call') reached.add(step.workflow);
  }
  return reached;
}

function namesDotenv(file: WorkflowFile): boolean {
  return [file, ...file.workflows.values(), ...fileScopes(file)].some(({ dotenv }) => dotenv.length > 0);
}

/** Warns of entries with the name of a variable that chooses a dotenv file, unless they pass the variable on. */
function findBesideDotenv(file: WorkflowFile, warn: Warn): void {
  const chosen = new Set([...dotenvTexts(file)].flatMap(({ names }) => names));
  if (chosen.size === 0) return;
  for (const [field, variables, owner] of variableScopes(file)) {
    for (const [name, { text, range }] of variables) {
      if (!chosen.has(name) || passesOn(name, text)) continue;
      warn({ code: 'beside dotenv', field: `${field}.${name}`, variable: name }, owner, range);
    }
  }
}

function findUnreachable({ workflows }: WorkflowFile, reached: ReadonlySet<string>, warn: Warn): void {
  for (const [workflow, { range }] of workflows) {
    if (!reached.has(workflow)) warn({ code: 'unreachable workflow' }, { workflow }, range);
  }
}
