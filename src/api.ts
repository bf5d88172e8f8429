/* The library of the published package: see docs/reference/library.md. */

import { dot } from './cli/commands/plans/dot.ts';
import { mermaid } from './cli/commands/plans/mermaid.ts';
import { positionsIn } from './frontend/diagnostics/source.ts';
import { PLAN_FORMAT } from './ir/plan.ts';
import { dryRunDocument } from './ir/views/dry_run_document.ts';
import { explainPlan } from './ir/views/explanation.ts';
import { buildGraph } from './ir/views/graph.ts';
import {
  checkBoolean,
  checkEnvironment,
  checkFiles,
  checkFunction,
  checkObject,
  checkOptions,
  checkStep,
  checkString,
  checkStrings,
  checkText,
} from './library/arguments.ts';
import { commandsOf } from './library/commands.ts';
import { diagnosticsOf, validationText } from './library/diagnostics.ts';
import { bytesOf, DISK, includeFiles, readFrom } from './library/files.ts';
import { namesOf } from './library/names.ts';
import { compileProject, knownPlan, linkKnown, planLines } from './library/plans.ts';
import { createProject, loadedProject } from './library/projects.ts';
import { runInProcess } from './library/run_in_process.ts';
import type {
  CheckOptions,
  Command,
  Comparison,
  Conversion,
  Diagnostic,
  DryRun,
  ExplainOptions,
  ExplainedStep,
  ExportedScript,
  Files,
  ListedWorkflow,
  Name,
  Plan,
  Preview,
  PreviewOptions,
  Project,
  Result,
  RunOptions,
  RunResult,
} from './library/types.ts';
import { DEFAULT_FILE } from './cli/command_line/default_file.ts';
import { compactText } from './cli/output/document.ts';
import { escapeForTerminal } from './cli/output/escape.ts';
import { explanationText } from './cli/output/explanation_text.ts';
import { listEntry } from './cli/output/workflow_table.ts';
import { VERSION } from './base/version.ts';

export type * from './library/types.ts';

/** The version of the package. */
export const version: string = VERSION;

/** The highest version of the format of plans. */
export const planFormat: number = PLAN_FORMAT;

/** The files of the disk. */
export const disk: Files = DISK;

/** Parses the text of a workflow file. Without `files`, its includes are not read. */
export function parse(
  text: string | Uint8Array,
  options: { readonly path?: string; readonly files?: Files } = {},
): Project {
  checkText('text', text);
  checkOptions(options, { path: checkString, files: checkFiles });
  const { path = DEFAULT_FILE, files } = options;
  return createProject(bytesOf(text), path, includeFiles(files));
}

/** Reads a workflow file and its includes, by default from the file system. */
export function load(path: string, options: { readonly files?: Files } = {}): Project {
  checkString('path', path);
  checkOptions(options, { files: checkFiles });
  const { files = disk } = options;
  return createProject(readFrom(files, path), path, includeFiles(files));
}

/** The errors and warnings of a project, in the order of its files: the findings of `cli validate --format json`. */
export function check(project: Project, options: CheckOptions = {}): readonly Diagnostic[] {
  return diagnosticsOf(loadedProject(project), checkRules(options)).map(({ diagnostic }) => diagnostic);
}

/** The workflows of a project: the document of `cli workflow list --all`. Empty if the file is malformed. */
export function list(project: Project): readonly ListedWorkflow[] {
  const found = loadedProject(project);
  const workflows = found.kind === 'read' ? (found.loaded.file?.workflows ?? []) : [];
  const listed: readonly ListedWorkflow[] = JSON.parse(JSON.stringify([...workflows].map(listEntry)));
  return listed;
}

/** The commands of steps and hooks, and the conditions that are commands. Empty if the file is malformed. */
export function commands(project: Project): readonly Command[] {
  const found = loadedProject(project);
  return found.kind === 'read' ? commandsOf(found.loaded) : [];
}

/** The names of workflows, steps, outputs and variables, where they are defined and used. Works for malformed files. */
export function names(project: Project): readonly Name[] {
  return namesOf(loadedProject(project));
}

/** Compiles a workflow. */
export function compile(
  project: Project,
  workflow: string,
  options: { readonly params?: Readonly<Record<string, string>> } = {},
): Result {
  const found = loadedProject(project);
  checkString('workflow', workflow);
  checkOptions(options, { params: checkStrings });
  return compileProject(found, workflow, options.params ?? {});
}

/**
 * Links a plan to an environment: variables in values and directories get their values. Without `files`, no dotenv file
 * is read.
 */
export function link(
  plan: Plan,
  options: { readonly env?: Readonly<Record<string, string | undefined>>; readonly files?: Files } = {},
): Result {
  const found = knownPlan(plan);
  checkOptions(options, { env: checkEnvironment, files: checkFiles });
  return linkKnown(found, options.env ?? {}, options.files);
}

/** The plan file of a plan before it is linked: the output of `cli plan`. Values of secret parameters are `***`. */
export function planText(plan: Plan): string {
  return planLines(knownPlan(plan))
    .map((line) => `${escapeForTerminal(line)}\n`)
    .join('');
}

/** The document of `cli workflow run --dry-run`. */
export function dryRun(plan: Plan): DryRun {
  const document: DryRun = JSON.parse(compactText(dryRunDocument(knownPlan(plan).written)));
  return document;
}

/** The variables of steps, and what sets them: the `steps` of `cli workflow explain --format json`. */
export function explain(plan: Plan, options: ExplainOptions = {}): readonly ExplainedStep[] {
  const explained: readonly ExplainedStep[] = JSON.parse(JSON.stringify([...explainedSteps(plan, options)]));
  return explained;
}

function explainedSteps(plan: Plan, options: ExplainOptions): ReturnType<typeof explainPlan> {
  const { linked, loaded } = knownPlan(plan);
  checkOptions(options, { variable: checkString, step: checkStep, env: checkEnvironment });
  const { variable, step, env = {} } = options;
  const query = { variable, step: step === undefined ? undefined : String(step) };
  return explainPlan(linked, query, env, positionsIn(loaded.source));
}

/** A plan as a graph: the output of `cli graph`. */
export function graph(plan: Plan, options: { readonly format?: 'mermaid' | 'dot' } = {}): string {
  const { written, file } = knownPlan(plan);
  checkObject('options', options);
  const { format = 'mermaid' } = options;
  if (format !== 'mermaid' && format !== 'dot') throw new TypeError("options.format must be 'mermaid' or 'dot'");
  const found = buildGraph(written, (workflow) => file.workflows.get(workflow)?.private === true);
  return [...(format === 'dot' ? dot(found) : mermaid(found))].join('');
}

/** What `cli validate --format text` prints: the errors and warnings with their lines, and a last line. */
export function validateText(project: Project, options: CheckOptions = {}): string {
  return validationText(loadedProject(project), checkRules(options));
}

function checkRules(options: CheckOptions): Required<CheckOptions> {
  checkOptions(options, { strict: checkBoolean, portable: checkBoolean });
  const { strict = false, portable = false } = options;
  return { strict, portable };
}

/** The variables of steps, and what sets them: the text of `cli workflow explain`. */
export function explainText(plan: Plan, options: ExplainOptions = {}): string {
  return [...explanationText(explainedSteps(plan, options))].join('');
}

/** What a workflow would do: its dry run, its graph, and a simulated run. Executes nothing. */
export async function preview(project: Project, workflow: string, options: PreviewOptions = {}): Promise<Preview> {
  const found = loadedProject(project);
  checkString('workflow', workflow);
  const texts = { params: checkStrings, assume: checkStrings };
  checkOptions(options, { ...texts, strict: checkBoolean, env: checkEnvironment, files: checkFiles });
  const { previewProject } = await import('./library/views/preview.ts');
  return previewProject(found, workflow, options, includeFiles(options.files).read);
}

/** Compares the plans of two projects: the output of `cli diff`. */
export async function diff(
  before: Project,
  after: Project,
  options: { readonly from?: string; readonly to?: string } = {},
): Promise<Comparison> {
  const sides = [loadedProject(before), loadedProject(after)] as const;
  checkOptions(options, { from: checkString, to: checkString });
  const { from = before.path, to = after.path } = options;
  return (await import('./library/views/comparison.ts')).compareProjects(...sides, [from, to]);
}

/** A workflow as a bash script: the output of `cli export`. */
export async function exportScript(project: Project, workflow: string): Promise<ExportedScript> {
  const found = loadedProject(project);
  checkString('workflow', workflow);
  return (await import('./library/views/exported_script.ts')).exportProject(found, workflow);
}

/**
 * Converts the file of another tool: what `cli init --from NAME` writes. Its name tells the tool. Of a justfile, `text`
 * is the output of `just --dump --dump-format json`.
 */
export async function convert(text: string, name: string): Promise<Conversion> {
  checkString('text', text);
  checkString('name', name);
  return (await import('./library/views/conversion.ts')).convertText(text, name);
}

/** Runs a workflow with `cli workflow run`, in a process of its own. */
export async function run(options: RunOptions): Promise<RunResult> {
  checkObject('options', options);
  const { workflow, signal, stderr } = options;
  checkString('options.workflow', workflow);
  const texts = { params: checkStrings, file: checkString, cwd: checkString };
  checkOptions(options, { ...texts, env: checkEnvironment, onEvent: checkFunction });
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError('options.signal must be an AbortSignal');
  }
  if (stderr !== undefined && stderr !== 'inherit' && stderr !== 'ignore') checkFunction('options.stderr', stderr);
  return runInProcess(options);
}
