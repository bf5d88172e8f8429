import { findCommand, groupOf } from '../../command_line/find_command.ts';
import { commandHelp, commandList, overview, topicList } from '../../command_line/help/help.ts';
import { isTopic } from '../../command_line/help/topic_names.ts';
import type { HelpRequest } from '../../command_line/parse.ts';
import { print } from '../../output/document.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { paintHelp } from '../../output/paint.ts';
import { failure, type Result } from '../../result.ts';

/** `--help` and `help`: prints the help on a command, a workflow or a topic. */
export async function showHelp(io: Io, request: HelpRequest): Promise<number> {
  const help = await helpText(request);
  return help.ok ? print(io, [paintHelp(io, `${help.value}\n`)], EXIT.ok) : refuse(io, help.problems);
}

async function helpText(request: HelpRequest): Promise<Result<string>> {
  if (request.kind === 'help') {
    const { found, about } = request;
    const workflow = about === undefined ? '' : await (await import('./workflow_help.ts')).workflowHelp(about);
    return { ok: true, value: `${workflow}${found === undefined ? overview() : commandHelp(found)}` };
  }
  const text = await textAbout(request.words);
  if (text !== undefined) return { ok: true, value: text };
  return failure(...(await (await import('./unknown_command.ts')).unknownCommand(request, 'help')));
}

/** The text about the words after `help`; undefined if they are unknown. */
async function textAbout(words: readonly string[]): Promise<string | undefined> {
  const found = findCommand(words);
  if (found !== undefined) return commandHelp(found);
  const [first, second] = words;
  if (first === undefined) return `${overview()}\n\n${topicList()}`;
  if (second === undefined && isTopic(first)) {
    return (await import('../../command_line/help/topics.ts')).topicText(first);
  }
  if (second === undefined && first === 'commands') return commandList([]);
  return groupOf(words).length > 0 ? commandList(words) : undefined;
}
