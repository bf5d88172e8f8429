import { message } from '../../frontend/diagnostics/message.ts';
import { readWorkflowFile } from '../../frontend/parse.ts';
import { ruleMessage } from '../../frontend/schema/rules.ts';
import { brokenRule, Name } from '../../frontend/schema/schema.ts';
import { calledAmong, calledBy, type Imported, type ImportedWorkflow } from './imported.ts';
import { renderImported } from './render.ts';
import { runOnce } from './run_once.ts';

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
    const all = { ...imported, workflows: withPrivateHelpers(workflows) };
    const reasons = await problemsIn(renderImported(all, schema));
    if (reasons.size === 0) {
      return { text: renderImported({ ...all, workflows: withDirectories(runOnce(all.workflows)) }, schema), leftOut };
    }
    omit(reasons);
  }
}

/** Helpers are private: a leading `_` or `.` says so in most tools. Others are public if nothing calls them. */
function withPrivateHelpers(workflows: readonly ImportedWorkflow[]): ImportedWorkflow[] {
  const called = new Set(workflows.flatMap(({ steps }) => calledBy(steps)));
  return workflows.map((workflow) => {
    const isPrivate = /^[_.]/.test(workflow.name) || (workflow.private === true && called.has(workflow.name));
    return { ...workflow, private: isPrivate };
  });
}

/** Workflows that one with a directory calls would inherit it: they get the current directory, unless they have their own. */
function withDirectories(workflows: readonly ImportedWorkflow[]): readonly ImportedWorkflow[] {
  const elsewhere = workflows.filter(({ dir }) => dir !== undefined);
  const called = new Set(elsewhere.length % workflows.length === 0 ? [] : calledAmong(workflows, elsewhere));
  return workflows.map((workflow) => (called.has(workflow) ? { ...workflow, dir: workflow.dir ?? '.' } : workflow));
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
