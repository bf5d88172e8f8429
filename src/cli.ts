import { readFileSync } from 'node:fs';
import { write } from './backend/write.ts';
import { readCommandLine, type Request } from './command_line.ts';
import { authStatus } from './commands/auth.ts';
import { EXIT, say, type Io } from './commands/io.ts';
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
    say(io, [`cli: this is a bug in the tool: ${message.split('\n')[0]}`]);
    if (argv.includes('--debug')) say(io, stack.split('\n'));
    return EXIT.bug;
  }
}

async function answer(request: Request, io: Io): Promise<number> {
  switch (request.kind) {
    case 'help':
      return printText(io, request.text);
    case 'version':
      return printText(io, `${version()}\n`);
    case 'usage error':
      say(
        io,
        request.problems.map((problem) => `cli: ${problem}`),
      );
      return EXIT.cannotStart;
    case 'command':
      return COMMAND_FUNCTIONS[request.command](io, request.options);
    default:
      return unreachable(request);
  }
}

function printText(io: Io, text: string): number {
  return write(io.stdout, [text]).ok ? EXIT.ok : EXIT.notWritten;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const contents: unknown = JSON.parse(text);
  if (typeof contents === 'object' && contents !== null && 'version' in contents) {
    return String(contents.version);
  }
  throw new Error('package.json has no version');
}
