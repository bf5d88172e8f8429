import { scriptOf } from '../../cli/commands/plans/export.ts';
import { prepare } from '../../cli/driver/prepare_run.ts';
import { printedMessages } from '../../cli/output/messages/message.ts';
import type { LoadedProject } from '../projects.ts';
import { optionsFor, pathOfProject, readProjectFile, silentIo } from './requests.ts';
import type { ExportedScript } from '../types.ts';

/** The output of `cli export`. */
export async function exportProject(project: LoadedProject, workflow: string): Promise<ExportedScript> {
  const options = optionsFor(pathOfProject(project), workflow, {});
  const prepared = await prepare(silentIo({}), options, 'export', { read: readProjectFile(project) });
  const messages = printedMessages(prepared.messages ?? []);
  if (!prepared.ok) return { messages: messages + printedMessages(prepared.problems), script: null };
  const script = scriptOf(prepared.value);
  if (script.ok) return { messages, script: script.value };
  return { messages: messages + printedMessages(script.problems), script: null };
}
