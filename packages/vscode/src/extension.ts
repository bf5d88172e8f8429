import { existsSync } from 'node:fs';
import { commands, Uri, window, workspace, type ExtensionContext } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { chooseProgram, COMMANDS, SERVER_NAME, type Program } from './choose_program.ts';

const started: LanguageClient[] = [];

/** Starts the language server, and registers the commands above workflows. */
export async function activate(context: ExtensionContext): Promise<void> {
  const program = currentProgram();
  for (const [name, argsOf] of Object.entries(COMMANDS)) {
    context.subscriptions.push(
      commands.registerCommand(name, (uri: string, workflow: string) => {
        const path = Uri.parse(uri).fsPath;
        const cwd = workspace.getWorkspaceFolder(Uri.parse(uri))?.uri.fsPath;
        const { command, args } = currentProgram();
        const shellArgs = [...args, ...argsOf(workflow, path)];
        const options = { name: `cli: ${workflow}`, shellPath: command, shellArgs };
        window.createTerminal(cwd === undefined ? options : { ...options, cwd }).show();
      }),
    );
  }
  const server = { command: program.command, args: [...program.args, 'lsp'] };
  const client = new LanguageClient('workflow-plan', 'workflow-plan', server, {
    documentSelector: [{ language: 'workflow-plan' }],
    initializationOptions: { commands: Object.keys(COMMANDS) },
  });
  started.push(client);
  await client.start();
  if (client.initializeResult?.serverInfo?.name === SERVER_NAME) return;
  await deactivate();
  void window.showErrorMessage(`${program.command} is not workflow-plan: set workflow-plan.path to its program`);
}

export async function deactivate(): Promise<void> {
  for (const client of started.splice(0)) await client.stop();
}

function currentProgram(): Program {
  const setting = workspace.getConfiguration('workflow-plan').get('path', '');
  const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return chooseProgram({ setting, folders, exists: existsSync });
}
