import { askLine } from '../../../backend/system/ask_line.ts';
import { findShell } from '../../../backend/system/find_shell.ts';
import { write } from '../../../backend/system/write.ts';
import type { Workflow } from '../../../frontend/ast.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { mayAsk } from '../../driver/questions.ts';
import { EXIT, printStderr, type Io } from '../../output/io.ts';
import type { UnnamedFile } from '../../output/messages/findings.ts';
import type { Message } from '../../output/messages/message.ts';
import { printMessages } from '../../output/messages/print_messages.ts';
import { workflowTable } from '../../output/workflow_table.ts';

/** How often a wrong answer is followed by the same question. */
const REPEATED = 3;

/** The exit code after a question that was left without an answer: that of Ctrl-C in a shell. */
const LEFT = 130;

type NamedWorkflow = readonly [name: string, workflow: Workflow];

/**
 * Shows the workflows of a file with numbers, and asks which one to run. Returns its name, or the exit code if none was
 * chosen; undefined if a script may have started `cli`, which gets no question. Prints `messages` before.
 */
export async function askWorkflow(
  io: Io,
  options: Options,
  { file, path }: UnnamedFile,
  messages: Message[],
): Promise<string | number | undefined> {
  const workflows = [...file.workflows].filter(([, workflow]) => !workflow.private);
  const shell = findShell(io.env['PATH']);
  if (!mayAsk(io, options) || workflows.length === 0 || shell === undefined) return undefined;
  await printMessages(io, options, { ok: true, value: undefined, messages: messages.splice(0) });
  printStderr(io, [`the workflows of ${path}:`], 'cli: ');
  write(io.stderr, workflowTable(io, io.stderr, workflows, undefined, true));
  const { wrap = (text) => text } = io;
  for (let wrong = 0; wrong <= REPEATED; wrong += 1) {
    const answer = await askLine({ ...io, shell }, wrap('cli: number or name of the workflow to run: '), false);
    if (answer.kind === 'signal') return io.die(answer.signal);
    if (answer.kind === 'none') write(io.stderr, ['\n']);
    const text = answer.kind === 'none' ? '' : answer.text.trim();
    if (text === '') return LEFT;
    const chosen = choose(workflows, text);
    if (chosen.length === 1) return chosen[0];
    printStderr(io, [chosen.length === 0 ? `no workflow '${text}'` : `'${text}' begins ${chosen.join(', ')}`], 'cli: ');
  }
  return EXIT.cannotStart;
}

/** The workflows for an answer: a name or an alias, a number, or the beginning of names or aliases. */
function choose(workflows: readonly NamedWorkflow[], text: string): readonly string[] {
  const matching = (matches: (name: string) => boolean): string[] =>
    workflows.flatMap(([name, { aliases }]) => ([name, ...aliases].some(matches) ? name : []));
  const exact = matching((name) => name === text);
  if (exact.length > 0) return exact;
  const numbered = /^\d+$/.test(text) ? workflows[Number(text) - 1] : undefined;
  return numbered === undefined ? matching((name) => name.startsWith(text)) : [numbered[0]];
}
