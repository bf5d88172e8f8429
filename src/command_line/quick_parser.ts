import parser from 'yargs-parser';
import {
  CONFIGURATION,
  FLAG_NAMES,
  isSwitch,
  parseCommandLine,
  type HelpRequest,
  type ParsedWords,
  type Request,
} from './parse.ts';

/**
 * Reads a command line. Loading yargs takes longer than the rest of the start, so yargs-parser alone reads a valid
 * line; yargs reads one with an error or `--help`.
 */
export async function readCommandLine(argv: readonly string[]): Promise<Request> {
  const request = readQuickly(argv);
  if (request.kind === 'command' || request.kind === 'text') return request;
  const { readWithYargs } = await import('./yargs_parser.ts');
  return readWithYargs(argv);
}

/** Reads a command line without yargs. */
export function readQuickly(argv: readonly string[]): Request | HelpRequest {
  return parseCommandLine(argv, parse);
}

function parse(words: string[]): ParsedWords {
  const values = FLAG_NAMES.filter((name) => !isSwitch(name));
  const { argv, error } = parser.detailed(words, {
    boolean: FLAG_NAMES.filter(isSwitch),
    string: values,
    narg: Object.fromEntries(values.map((name) => [name, 1])),
    configuration: CONFIGURATION,
  });
  const { _: positional, ...flags } = argv;
  return error === null ? { positional: positional.map(String), flags } : undefined;
}
