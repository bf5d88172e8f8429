import type { CommandWords, Request } from './cli/command_line/parse.ts';
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

/** Loads only the modules of the command that runs. */
async function runCommand({ command, options }: Request & { kind: 'command' }, io: Io): Promise<number> {
  const url = options.on ?? io.env['CLI_ON'];
  if (url && worksOnDatabase(command))
    return (await import('./cli/commands/runs/runs_on.ts')).runsOn(io, command, url, options);
  switch (command) {
    case 'workflow run':
      return (await import('./cli/commands/run.ts')).run(io, options);
    case 'workflow list':
      return (await import('./cli/commands/list.ts')).list(io, options);
    case 'workflow validate':
      return (await import('./cli/commands/validate.ts')).validate(io, options);
    case 'workflow explain':
      return (await import('./cli/commands/explain.ts')).explain(io, options);
    case 'workflow status':
      return (await import('./cli/commands/status.ts')).status(io, options);
    case 'workflow graph':
      return (await import('./cli/commands/plans/graph.ts')).graph(io, options);
    case 'workflow plan':
      return (await import('./cli/commands/plans/write_plan.ts')).plan(io, options);
    case 'workflow diff':
      return (await import('./cli/commands/plans/diff.ts')).diff(io, options);
    case 'workflow export':
      return (await import('./cli/commands/plans/export.ts')).exportWorkflow(io, options);
    case 'workflow secrets':
      return (await import('./cli/commands/secrets.ts')).secrets(io, options);
    case 'workflow schema':
      return (await import('./cli/commands/schema.ts')).schema(io, options);
    case 'workflow init':
      return (await import('./cli/commands/init.ts')).init(io, options);
    case 'workflow resume':
      return (await import('./cli/commands/resume.ts')).resume(io, options);
    case 'workflow runs list':
      return (await import('./cli/commands/runs/runs_list.ts')).runsList(io, options);
    case 'workflow runs show':
      return (await import('./cli/commands/runs/runs_show.ts')).runsShow(io, options);
    case 'workflow runs logs':
      return (await import('./cli/commands/runs/runs_logs.ts')).runsLogs(io, options);
    case 'workflow runs wait':
      return (await import('./cli/commands/runs/local_run.ts')).runsWait(io, options);
    case 'workflow runs cancel':
      return (await import('./cli/commands/runs/local_run.ts')).runsCancel(io, options);
    case 'workflow runs resume':
      return refuse(io, ["'cli runs resume' is for runs on other machines: add --on URL, or use cli resume"]);
    case 'workflow runs prune':
      return (await import('./cli/commands/runs/runs_prune.ts')).runsPrune(io, options);
    case 'lsp':
      return (await import('./cli/commands/language_server.ts')).languageServer(io);
    case 'mcp':
      return (await import('./cli/commands/mcp/agent_server.ts')).agentServer(io, options);
    case 'ui':
      return (await import('./cli/commands/page/page_command.ts')).page(io, options);
    case 'worker':
      return (await import('./cli/commands/remote/worker.ts')).worker(io, options);
    case 'workflow process':
      return (await import('./cli/commands/process/run_process.ts')).runProcess(io, options);
    case 'auth status':
      return (await import('./cli/commands/auth_status.ts')).authStatus(io, options);
    case 'completion bash':
    case 'completion zsh':
    case 'completion fish':
      return (await import('./cli/completion/scripts.ts')).completion(io, command);
    case 'completion words':
      return (await import('./cli/completion/complete.ts')).complete(io, options);
    default:
      return unreachable(command);
  }
}
