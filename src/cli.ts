import { readFileSync } from 'node:fs';
import { write } from './backend/write.ts';
import { readCommandLine, type CommandLine } from './command_line.ts';
import { authStatus } from './commands/auth.ts';
import { EXIT, say, type Io } from './commands/io.ts';
import { list } from './commands/list.ts';
import { run } from './commands/run.ts';
import { validate } from './commands/validate.ts';
import { unreachable } from './unreachable.ts';

/**
 * The tool: reads a command line, does what it says, and gives the exit code for the process.
 *
 * Never throws: an exception is a bug, which is said in one line.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const request = readCommandLine(argv);
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
        return await runCommand(io, request.line);
      default:
        return unreachable(request);
    }
  } catch (error) {
    say(io, bugReport(error, argv.includes('--debug')));
    return EXIT.bug;
  }
}

async function runCommand(
  io: Io,
  { command, words, file, switches }: CommandLine,
): Promise<number> {
  const layout = { pretty: switches.has('pretty') };
  switch (command) {
    case 'run': {
      const [workflow = '', ...rest] = words;
      const [dryRun, debug] = [switches.has('dry-run'), switches.has('debug')];
      return run(io, { ...layout, file, workflow, words: rest, dryRun, debug });
    }
    case 'list':
      return list(io, { ...layout, file, all: switches.has('all') });
    case 'validate':
      return validate(io, { ...layout, file });
    case 'auth status':
      return authStatus(io, layout);
    default:
      return unreachable(command);
  }
}

function printText(io: Io, text: string): number {
  return write(io.stdout, [text]).ok ? EXIT.ok : EXIT.notWritten;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const contents: unknown = JSON.parse(text);
  if (typeof contents !== 'object' || contents === null || !('version' in contents)) {
    throw new Error('package.json has no version');
  }
  return String(contents.version);
}

function bugReport(error: unknown, debug: boolean): string[] {
  const text = error instanceof Error ? error.message : String(error);
  const [first = ''] = text.split('\n');
  const stack = error instanceof Error && debug ? (error.stack ?? '').split('\n') : [];
  return [`cli: this is a bug in the tool: ${first}`, ...stack];
}
