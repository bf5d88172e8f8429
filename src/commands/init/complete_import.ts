import { message } from '../../frontend/diagnostics/message.ts';
import { readWorkflowFile } from '../../frontend/parse.ts';
import { ruleMessage } from '../../frontend/schema/rules.ts';
import { brokenRule, Name } from '../../frontend/schema/schema.ts';
import type { Imported, ImportedWorkflow } from './imported.ts';
import { renderImported } from './render.ts';
import { repeatedCalls } from './repeated_calls.ts';

/**
 * The text of a valid workflow file, and a line for each part that was left out. A workflow with an error is left out,
 * and so are its callers.
 */
export async function completeImport(
  imported: Imported,
  schema: string | undefined,
): Promise<Readonly<{ text: string; leftOut: readonly string[] }>> {
  const leftOut = [...imported.leftOut];
  let { workflows } = imported;
  const omit = (reasons: ReadonlyMap<string, string>): void => {
    for (const [name, reason] of reasons) leftOut.push(`${imported.noun} '${name}' is left out: ${reason}`);
    workflows = workflows.filter(({ name }) => !reasons.has(name));
  };
  omit(badNames(workflows.map(({ name }) => name)));
  for (;;) {
    const text = renderImported({ ...imported, workflows: withoutUnreachable(workflows) }, schema);
    const reasons = await problemsIn(text);
    if (reasons.size === 0) return { text, leftOut: [...leftOut, ...repeatedCalls(workflows)] };
    omit(reasons);
  }
}

/** The same workflows. Private workflows that nothing calls become public, because no list would show them. */
function withoutUnreachable(workflows: readonly ImportedWorkflow[]): ImportedWorkflow[] {
  const called = new Set(
    workflows.flatMap(({ steps }) => steps.map((step) => ('workflow' in step ? step.workflow : ''))),
  );
  return workflows.map((workflow) => (called.has(workflow.name) ? workflow : { ...workflow, private: false }));
}

function badNames(names: readonly string[]): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const name of names) {
    const rule = brokenRule(Name, name);
    if (rule !== undefined) reasons.set(name, `its name ${ruleMessage(rule, '')}`);
  }
  return reasons;
}

/** The first error of each workflow. */
async function problemsIn(text: string): Promise<Map<string, string>> {
  const { errors, lines } = await readWorkflowFile(Buffer.from(text));
  const reasons = new Map<string, string>();
  for (const error of errors.items) {
    const { workflow } = error.owner;
    if (workflow === '') throw new Error(`the conversion is invalid: ${message(error, lines)}`);
    if (!reasons.has(workflow)) reasons.set(workflow, message(error, lines));
  }
  return reasons;
}
