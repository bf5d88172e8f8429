import { isKeyOf } from '../../base/keys.ts';
import { FLAGS, isSwitch } from './flags.ts';
import { parseCommandLine, type ParsedWords, type Request } from './parse_command_line.ts';

/**
 * Parses a command line. Loading yargs takes longer than the rest of the start, so a small parser handles valid lines,
 * and yargs all lines that the small parser rejects.
 */
export async function readCommandLine(argv: readonly string[]): Promise<Request> {
  const request = readQuickly(argv);
  if (request.kind !== 'usage error') return request;
  const { readWithYargs } = await import('./yargs_parser.ts');
  return readWithYargs(argv);
}

/** Parses a command line without yargs. */
export function readQuickly(argv: readonly string[]): Request {
  return parseCommandLine(argv, parse);
}

/** Undefined for a line that yargs might read differently. */
function parse(words: readonly string[]): ParsedWords {
  const positional: string[] = [];
  const flags: Record<string, unknown> = {};
  const rest = words[Symbol.iterator]();
  for (const word of rest) {
    if (word === '--') return { positional: [...positional, ...rest], flags };
    if (word === '-' || !word.startsWith('-')) positional.push(word);
    else {
      const [, name = '', given] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
      const value: string | undefined = given ?? rest.next().value;
      if (!isKeyOf(FLAGS, name) || value === undefined || (given === undefined && /^-./s.test(value))) return undefined;
      flags[name] = isSwitch(name) ? value === 'true' : value;
    }
  }
  return { positional, flags };
}
