/** A program and its first arguments. */
export type Program = Readonly<{ command: string; args: readonly string[] }>;

/** Where programs may be: the setting, the folders of the workspace, and a test for files. */
export type Places = Readonly<{ setting: string; folders: readonly string[]; exists: (path: string) => boolean }>;

/** The name by which the language server tells what it is: `cli` is a common name for programs. */
export const SERVER_NAME = 'workflow-plan';

/** The program of the setting, else the one in node_modules of a folder of the workspace, else `cli` on PATH. */
export function chooseProgram({ setting, folders, exists }: Places): Program {
  if (setting !== '') return { command: setting, args: [] };
  const bundles = folders.map((folder) => `${folder}/node_modules/workflow-plan/dist/cli.cjs`);
  const installed = bundles.find((path) => exists(path));
  return installed === undefined ? { command: 'cli', args: [] } : { command: 'node', args: [installed] };
}

/** The arguments of a command of the editor for a workflow of a file. */
export const COMMANDS: Readonly<Record<string, (workflow: string, file: string) => readonly string[]>> = {
  'workflow-plan.run': (workflow, file) => ['run', '--file', file, '--', workflow],
  'workflow-plan.dryRun': (workflow, file) => ['run', '--dry-run', '--file', file, '--', workflow],
  'workflow-plan.graph': (workflow, file) => ['graph', '--file', file, '--', workflow],
};
