import { workflowNamed, workflowNames } from '../../command_line/choose_workflow.ts';
import { COMMANDS } from '../../command_line/command_table.ts';
import { groupOf, shortWords, unknownWords } from '../../command_line/find_command.ts';
import type { UnknownWords } from '../../command_line/parse_command_line.ts';
import { createRedactor, HIDDEN } from '../../command_line/redact.ts';
import { repeatWords } from '../../command_line/suggested_command.ts';
import { shellWord } from '../../../base/shell_word.ts';
import type { WorkflowFile } from '../../../frontend/ast.ts';
import { nearest, suggestionText, type Candidate } from '../../../frontend/diagnostics/suggest.ts';
import { readFoundFile } from '../../driver/read_found_file.ts';

/** The most suggestions of one message. */
const SUGGESTIONS = 3;

/**
 * The errors for a line without a command: the command that runs a workflow of that name, or the nearest names.
 * `subjects` are those of the help, if the line asks for it.
 */
export async function unknownCommand(
  { words, line, file: path }: UnknownWords,
  subjects?: readonly string[],
): Promise<readonly string[]> {
  const [first = ''] = words;
  const group = groupOf(words.slice(0, 1));
  const file = group.length > 0 ? undefined : (await readFoundFile(path))?.file;
  if (file !== undefined && workflowNamed(file, first) !== undefined) {
    if (subjects !== undefined) return [`'${first}' is a workflow; for its help: cli run ${shellWord(first)} --help`];
    return [`'${first}' is a workflow; to run it: cli run ${repeatWords(line, line, first)}`];
  }
  const given = unknownWords(words);
  if (given.length > 0 && groupOf(given).length > 0) return [`the command is missing${listOf(given)}`, SEE_HELP];
  const quoted = given.map(createRedactor(line));
  if (quoted.includes(HIDDEN)) return [`unknown command ${HIDDEN}`, ...RUN_HINT, SEE_HELP];
  const suggestions = nearest(candidates(words, group, file, subjects), SUGGESTIONS);
  const text = quoted.map((word) => word.slice(1, -1)).join(' ');
  const hint = suggestions.length > 0 || group.length > 0 ? [] : RUN_HINT;
  return [`unknown command '${text}'${suggestionText(suggestions, listOf(given.slice(0, -1)))}`, ...hint, SEE_HELP];
}

const SEE_HELP = "see 'cli --help'";

/** A hint for a workflow in place of a command, as in make, just and npm scripts. */
const RUN_HINT = ['to run a workflow: cli run <name>'];

/** The commands of a group, unless they are nearly all commands. */
function listOf(words: readonly string[]): string {
  const group = words.length === 0 || words.join(' ') === 'workflow' ? [] : groupOf(words);
  return group.length === 0 ? '' : `; commands: ${group.join(', ')}`;
}

/** The commands in both forms, each beside as many words as it has, the workflows of the file and subjects of the help. */
function candidates(
  words: readonly string[],
  group: readonly string[],
  file: WorkflowFile | undefined,
  subjects: readonly string[] = [],
): Candidate[] {
  const all = [...COMMANDS.flatMap((command) => [shortWords(command), command.words]), 'runs', 'help', 'version'];
  const commands = [...new Set(group.length > 0 ? group : all)].map((known): Candidate => {
    const names = known.split(' ');
    // Equal words at the beginning would hide how much the others differ.
    const start = names.findIndex((name, index) => name !== words[index]);
    return [words.slice(start, names.length).join(' '), names.slice(start).join(' '), known];
  });
  const [first = ''] = words;
  const names = file === undefined ? [] : workflowNames(file);
  const others = group.length > 0 ? [] : subjects.map((subject): Candidate => [first, subject, subject]);
  return [...commands, ...others, ...names.map((name): Candidate => [first, name, `run ${shellWord(name)}`])];
}
