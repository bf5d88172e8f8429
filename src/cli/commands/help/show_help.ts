import { findCommand, groupOf } from '../../command_line/find_command.ts';
import { commandHelp, commandList, overview, topicList } from '../../command_line/help/help_pages.ts';
import { isKeyOf } from '../../../base/keys.ts';
import { TOPICS } from '../../command_line/help/topic_names.ts';
import type { HelpRequest } from '../../command_line/parse_command_line.ts';
import { print } from '../../output/document.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { outputLines, type Rules } from '../../output/paint.ts';
import { terminalColumns } from '../../output/terminal.ts';
import { HELP_WIDTH } from '../../command_line/help/help_layout.ts';
import { failure, type Result } from '../../../base/result.ts';

const HEADINGS: Rules = [[/^(?:\w.*:|cli .*)$/, 'bold']];

/** `--help` and `help`: prints the help on a command, a workflow or a topic, at a terminal broken at words. */
export async function showHelp(io: Io, request: HelpRequest): Promise<number> {
  const columns = Math.min(terminalColumns(io.stdout) ?? HELP_WIDTH, HELP_WIDTH);
  const help = await helpText(request, columns);
  return help.ok ? print(io, outputLines(io, help.value.split('\n'), HEADINGS), EXIT.ok) : refuse(io, help.problems);
}

async function helpText(request: HelpRequest, columns: number): Promise<Result<string>> {
  if (request.kind === 'help') {
    const { found, about } = request;
    const workflow = about === undefined ? '' : await (await import('./workflow_help.ts')).workflowHelp(about);
    const general = found === undefined ? overview(columns) : commandHelp(found, columns);
    return { ok: true, value: `${workflow}${general}` };
  }
  const text = await textAbout(request.words, columns);
  if (text !== undefined) return { ok: true, value: text };
  const { FIELD_NAMES, fieldText } = await import('../../command_line/help/field_text.ts');
  const [first = '', second] = request.words;
  const onField = second === undefined ? fieldText(first, columns) : undefined;
  if (onField !== undefined) return { ok: true, value: onField };
  const { unknownCommand } = await import('./unknown_command.ts');
  return failure(...(await unknownCommand(request, [...Object.keys(TOPICS), ...FIELD_NAMES])));
}

/** The text about the words after `help`; undefined if they are unknown. */
async function textAbout(words: readonly string[], columns: number): Promise<string | undefined> {
  const found = findCommand(words);
  if (found !== undefined) return commandHelp(found, columns);
  const [first, second] = words;
  if (first === undefined) return `${overview(columns)}\n\n${topicList(columns)}`;
  if (second === undefined && isKeyOf(TOPICS, first)) {
    return (await import('../../command_line/help/topics.ts')).topicText(first, columns);
  }
  if (second === undefined && first === 'commands') return commandList([], columns);
  return groupOf(words).length > 0 ? commandList(words, columns) : undefined;
}
