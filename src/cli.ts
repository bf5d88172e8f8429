import type { CommandWords, Options, Request } from './cli/command_line/parse.ts';
import { readCommandLine } from './cli/command_line/quick_parser.ts';
import { print } from './cli/output/document.ts';
import { EXIT, refuse, type Io } from './cli/output/io.ts';
import { unreachable } from './base/unreachable.ts';
import { setCallerDirectory } from './backend/process/base_environment.ts';
import type { RemoteCommand } from './cli/commands/runs/runs_on.ts';

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
    default:
      return unreachable(request);
  }
}

function worksOnDatabase(command: CommandWords): command is RemoteCommand {
  return command.startsWith('workflow runs ') && command !== 'workflow runs prune';
}

/** Carries out a command. */
type Command = (io: Io, options: Options) => Promise<number> | number;

/** The commands. Only the modules of the one that runs are loaded. */
const COMMANDS: Readonly<Record<CommandWords, Command>> = {
  'workflow run': async (io, options) => (await import('./cli/commands/run.ts')).run(io, options),
  'workflow list': async (io, options) => (await import('./cli/commands/list.ts')).list(io, options),
  'workflow validate': async (io, options) => (await import('./cli/commands/validate.ts')).validate(io, options),
  'workflow explain': async (io, options) => (await import('./cli/commands/explain.ts')).explain(io, options),
  'workflow status': async (io, options) => (await import('./cli/commands/status.ts')).status(io, options),
  'workflow graph': async (io, options) => (await import('./cli/commands/plans/graph.ts')).graph(io, options),
  'workflow plan': async (io, options) => (await import('./cli/commands/plans/write_plan.ts')).plan(io, options),
  'workflow diff': async (io, options) => (await import('./cli/commands/plans/diff.ts')).diff(io, options),
  'workflow export': async (io, options) =>
    (await import('./cli/commands/plans/export.ts')).exportWorkflow(io, options),
  'workflow secrets': async (io, options) => (await import('./cli/commands/secrets.ts')).secrets(io, options),
  'workflow schema': async (io, options) => (await import('./cli/commands/schema.ts')).schema(io, options),
  'workflow init': async (io, options) => (await import('./cli/commands/init.ts')).init(io, options),
  'workflow resume': async (io, options) => (await import('./cli/commands/resume.ts')).resume(io, options),
  'workflow runs list': async (io, options) => (await import('./cli/commands/runs/runs_list.ts')).runsList(io, options),
  'workflow runs show': async (io, options) => (await import('./cli/commands/runs/runs_show.ts')).runsShow(io, options),
  'workflow runs logs': async (io, options) => (await import('./cli/commands/runs/runs_logs.ts')).runsLogs(io, options),
  'workflow runs wait': async (io, options) => (await import('./cli/commands/runs/local_run.ts')).runsWait(io, options),
  'workflow runs cancel': async (io, options) =>
    (await import('./cli/commands/runs/local_run.ts')).runsCancel(io, options),
  'workflow runs resume': (io) =>
    refuse(io, ["'cli runs resume' is for runs on other machines: add --on URL, or use cli resume"]),
  'workflow runs prune': async (io, options) =>
    (await import('./cli/commands/runs/runs_prune.ts')).runsPrune(io, options),
  lsp: async (io) => (await import('./cli/commands/language_server.ts')).languageServer(io),
  mcp: async (io, options) => (await import('./cli/commands/mcp/agent_server.ts')).agentServer(io, options),
  ui: async (io, options) => (await import('./cli/commands/page/page_command.ts')).page(io, options),
  worker: async (io, options) => (await import('./cli/commands/remote/worker.ts')).worker(io, options),
  'workflow process': async (io, options) =>
    (await import('./cli/commands/process/run_process.ts')).runProcess(io, options),
  'auth status': async (io, options) => (await import('./cli/commands/auth_status.ts')).authStatus(io, options),
  'completion bash': async (io) => (await import('./cli/completion/scripts.ts')).completion(io, 'completion bash'),
  'completion zsh': async (io) => (await import('./cli/completion/scripts.ts')).completion(io, 'completion zsh'),
  'completion fish': async (io) => (await import('./cli/completion/scripts.ts')).completion(io, 'completion fish'),
  'completion words': async (io, options) => (await import('./cli/completion/complete.ts')).complete(io, options),
};

async function runCommand({ command, options }: Request & { kind: 'command' }, io: Io): Promise<number> {
  const url = options.on ?? io.env['CLI_ON'];
  if (url && worksOnDatabase(command))
    return (await import('./cli/commands/runs/runs_on.ts')).runsOn(io, command, url, options);
  return COMMANDS[command](io, options);
}
