import { paramWord } from '../../base/param_word.ts';
import { shellWord } from '../../base/shell_word.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import { NO_FLAGS } from '../command_line/flag_values.ts';
import { flagWords } from '../driver/flag_words.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import type { RunRequest } from './start_message.ts';

/** The options of a run or a resume without a command line. */
export function optionsOf({ command: _command, name, params, file, ...flags }: RunRequest): Options {
  const words = [name, ...params.map(paramWord)];
  const named = { file: file ?? DEFAULT_FILE, isFileNamed: file !== undefined, isFound: true };
  return { ...NO_FLAGS, ...flags, ...named, form: 'long', format: 'json', words, args: [] };
}

/** The equal command line, quoted for a shell, with words after its flags. The default file need not be named. */
export function shownLine(request: RunRequest, ...more: readonly string[]): string {
  const options = optionsOf(request);
  const isFileNamed = options.isFileNamed && options.file !== DEFAULT_FILE;
  const flags = flagWords({ ...options, isFileNamed }, 'format', 'quiet').map((words) => words.join('='));
  const isPlain = options.words.every((word) => !word.startsWith('-'));
  const line = isPlain ? [...options.words, ...flags, ...more] : [...flags, ...more, '--', ...options.words];
  return ['cli', request.command, ...line].map(shellWord).join(' ');
}
