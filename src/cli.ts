import { readCommandLine, type Request } from './command_line.ts';
import { authStatus } from './commands/auth.ts';
import { print } from './commands/document.ts';
import { EXIT, refuse, say, type Io } from './commands/io.ts';
import { list } from './commands/list.ts';
import { run } from './commands/run.ts';
import { validate } from './commands/validate.ts';
import { unreachable } from './unreachable.ts';

const COMMAND_FUNCTIONS = {
  'workflow run': run,
  'workflow list': list,
  'workflow validate': validate,
  'auth status': authStatus,
} as const;

/**
 * The tool: reads a command line, does what it says, and gives the exit code for the process.
 *
 * Never throws: an exception is a bug, which is said in one line.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await answer(await readCommandLine(argv), io);
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    say(io, [`this is a bug in the tool: ${message.split('\n')[0]}`], 'cli: ');
    if (argv.includes('--debug')) say(io, stack.split('\n'));
    return EXIT.bug;
  }
}

async function answer(request: Request, io: Io): Promise<number> {
  switch (request.kind) {
    case 'text':
      return print(io, [request.text], EXIT.ok);
    case 'usage error':
      return refuse(io, request.problems);
    case 'command':
      return COMMAND_FUNCTIONS[request.command](io, request.options);
    default:
      return unreachable(request);
  }
}
