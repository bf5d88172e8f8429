import type { CommandWords, Options, Request } from './cli/command_line/parse_command_line.ts';
import { readCommandLine } from './cli/command_line/quick_parser.ts';
import { print } from './cli/output/document.ts';
import { EXIT, refuse, type Io } from './cli/output/io.ts';
import { setCallerDirectory } from './backend/process/base_environment.ts';
import type { RemoteCommand } from './cli/commands/runs/runs_of_database.ts';

/** Runs a command line and returns the exit code. An exception is a bug. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await respond(await readCommandLine(argv), io);
  } catch (error) {
    return reportBug(io, error, argv);
  }
}

/** Reports a bug; returns the exit code. */
export async function reportBug(io: Io, error: unknown, argv: readonly string[]): Promise<number> {
  return (await import('./cli/reporters/internal_error.ts')).reportBug(io, error, argv);
}

async function respond(request: Request, io: Io): Promise<number> {
  switch (request.kind) {
    case 'text':
      return print(io, [request.text], EXIT.ok);
    case 'help':
    case 'help on':
      return (await import('./cli/commands/help/show_help.ts')).showHelp(io, request);
    case 'unknown command': {
      const { unknownCommand } = await import('./cli/commands/help/unknown_command.ts');
      return refuse(io, await unknownCommand(request));
    }
    case 'usage error':
      return refuse(io, request.problems);
    case 'command':
      setCallerDirectory(io.env);
      return runCommand(request, io);
  }
}

function worksOnDatabase(command: CommandWords): command is RemoteCommand {
  return command.startsWith('workflow runs ') && command !== 'workflow runs prune';
}

/** Carries out a command. */
type Command = (io: Io, options: Options) => Promise<number> | number;

const NOT_REMOTE = "'cli runs resume' is for runs on other machines: add --on URL, or use cli resume";

/** The commands. Only the modules of the one that runs are loaded. */
const COMMANDS: Readonly<Record<CommandWords, () => Promise<Command>>> = {
  'workflow run': async () => (await import('./cli/commands/run.ts')).run,
  'workflow list': async () => (await import('./cli/commands/list.ts')).list,
  'workflow validate': async () => (await import('./cli/commands/validate.ts')).validate,
  'workflow explain': async () => (await import('./cli/commands/explain.ts')).explain,
  'workflow status': async () => (await import('./cli/commands/status.ts')).status,
  'workflow graph': async () => (await import('./cli/commands/plans/graph.ts')).graph,
  'workflow plan': async () => (await import('./cli/commands/plans/write_plan.ts')).plan,
  'workflow diff': async () => (await import('./cli/commands/plans/diff.ts')).diff,
  'workflow export': async () => (await import('./cli/commands/plans/export.ts')).exportWorkflow,
  'workflow secrets': async () => (await import('./cli/commands/secrets.ts')).secrets,
  'workflow schema': async () => (await import('./cli/commands/schema.ts')).schema,
  'workflow init': async () => (await import('./cli/commands/init.ts')).init,
  'workflow resume': async () => (await import('./cli/commands/resume.ts')).resume,
  'workflow runs list': async () => (await import('./cli/commands/runs/runs_list.ts')).runsList,
  'workflow runs show': async () => (await import('./cli/commands/runs/runs_show.ts')).runsShow,
  'workflow runs logs': async () => (await import('./cli/commands/runs/runs_logs.ts')).runsLogs,
  'workflow runs wait': async () => (await import('./cli/commands/runs/wait_and_cancel.ts')).runsWait,
  'workflow runs cancel': async () => (await import('./cli/commands/runs/wait_and_cancel.ts')).runsCancel,
  'workflow runs resume': async () => (io) => refuse(io, [NOT_REMOTE]),
  'workflow runs prune': async () => (await import('./cli/commands/runs/runs_prune.ts')).runsPrune,
  lsp: async () => (await import('./cli/commands/language_server.ts')).languageServer,
  mcp: async () => (await import('./cli/commands/mcp/agent_server.ts')).agentServer,
  ui: async () => (await import('./cli/commands/page/page_command.ts')).page,
  worker: async () => (await import('./cli/commands/workers/worker.ts')).worker,
  'workflow process': async () => (await import('./cli/commands/process/run_process.ts')).runProcess,
  'auth status': async () => (await import('./cli/commands/auth_status.ts')).authStatus,
  'completion bash': async () => (await import('./cli/completion/completion_scripts.ts')).completion('completion bash'),
  'completion zsh': async () => (await import('./cli/completion/completion_scripts.ts')).completion('completion zsh'),
  'completion fish': async () => (await import('./cli/completion/completion_scripts.ts')).completion('completion fish'),
  'completion words': async () => (await import('./cli/completion/complete.ts')).complete,
};

async function runCommand({ command, options }: Request & { kind: 'command' }, io: Io): Promise<number> {
  const url = options.on ?? io.env['CLI_ON'];
  if (url && worksOnDatabase(command))
    return (await import('./cli/commands/runs/runs_of_database.ts')).runsOn(io, command, url, options);
  return (await COMMANDS[command]())(io, options);
}
