import type { Request } from './command_line/parse.ts';
import { readCommandLine } from './command_line/quick_parser.ts';
import { print } from './output/document.ts';
import { EXIT, refuse, type Io } from './output/io.ts';
import { unreachable } from './unreachable.ts';

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
  return (await import('./reporters/internal_error.ts')).reportBug(io, error, argv);
}

async function respond(request: Request, io: Io): Promise<number> {
  switch (request.kind) {
    case 'text':
      return print(io, [request.text], EXIT.ok);
    case 'help':
    case 'help on':
      return (await import('./commands/help/show_help.ts')).showHelp(io, request);
    case 'unknown command': {
      const { unknownCommand } = await import('./commands/help/unknown_command.ts');
      return refuse(io, await unknownCommand(request, 'run'));
    }
    case 'usage error':
      return refuse(io, request.problems);
    case 'command':
      return runCommand(request, io);
    default:
      return unreachable(request);
  }
}

/** Loads only the modules of the command that runs. */
async function runCommand({ command, options }: Request & { kind: 'command' }, io: Io): Promise<number> {
  switch (command) {
    case 'workflow run':
      return (await import('./commands/run/run.ts')).run(io, options);
    case 'workflow list':
      return (await import('./commands/list.ts')).list(io, options);
    case 'workflow validate':
      return (await import('./commands/validate.ts')).validate(io, options);
    case 'workflow explain':
      return (await import('./commands/explain.ts')).explain(io, options);
    case 'workflow status':
      return (await import('./commands/run/status.ts')).status(io, options);
    case 'workflow graph':
      return (await import('./commands/graph.ts')).graph(io, options);
    case 'workflow plan':
      return (await import('./commands/plans/write_plan.ts')).plan(io, options);
    case 'workflow diff':
      return (await import('./commands/plans/diff.ts')).diff(io, options);
    case 'workflow export':
      return (await import('./commands/plans/export.ts')).exportWorkflow(io, options);
    case 'workflow secrets':
      return (await import('./commands/secrets.ts')).secrets(io, options);
    case 'workflow schema':
      return (await import('./commands/schema.ts')).schema(io, options);
    case 'workflow init':
      return (await import('./commands/init.ts')).init(io, options);
    case 'workflow resume':
      return (await import('./commands/runs/resume.ts')).resume(io, options);
    case 'workflow runs list':
      return (await import('./commands/runs/runs_list.ts')).runsList(io, options);
    case 'workflow runs show':
      return (await import('./commands/runs/runs_show.ts')).runsShow(io, options);
    case 'workflow runs logs':
      return (await import('./commands/runs/runs_logs.ts')).runsLogs(io, options);
    case 'workflow runs wait':
      return (await import('./commands/runs/local_run.ts')).runsWait(io, options);
    case 'workflow runs cancel':
      return (await import('./commands/runs/local_run.ts')).runsCancel(io, options);
    case 'workflow runs resume':
      return (await import('./commands/remote/runs_on.ts')).resumeOn(io, options);
    case 'workflow runs prune':
      return (await import('./commands/runs/runs_prune.ts')).runsPrune(io, options);
    case 'lsp':
      return (await import('./commands/language_server.ts')).languageServer(io);
    case 'mcp':
      return (await import('./commands/mcp/agent_server.ts')).agentServer(io, options);
    case 'ui':
      return (await import('./commands/page/page_command.ts')).page(io, options);
    case 'worker':
      return (await import('./commands/remote/worker.ts')).worker(io, options);
    case 'workflow process':
      return (await import('./commands/remote/run_process.ts')).runProcess(io, options);
    case 'auth status':
      return (await import('./commands/auth_status.ts')).authStatus(io, options);
    case 'completion bash':
    case 'completion zsh':
    case 'completion fish':
      return (await import('./completion/scripts.ts')).completion(io, command);
    case 'completion words':
      return (await import('./completion/complete.ts')).complete(io, options);
    default:
      return unreachable(command);
  }
}
