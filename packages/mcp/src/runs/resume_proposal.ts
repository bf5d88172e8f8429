import { resolve } from 'node:path';
import {
  approvalLines,
  isUnrecorded,
  planDigest,
  planResume,
  shownLine,
  UNRECORDED,
} from '../../../../src/internal.ts';
import { toolError } from '../results/tool_result.ts';
import type { Project } from './project.ts';
import { permitted, type Proposed } from './proposal.ts';
import { unknownRun } from './show_run.ts';

/** Plans the resume of a run. What calls for a decision is a conflict. */
export async function proposeResume(project: Project, given: string): Promise<Proposed> {
  const { io, options, key } = project;
  if (isUnrecorded(io, options)) return toolError('invalid', [UNRECORDED]);
  const runs = project.runs();
  if (runs.kind === 'result') return runs;
  const id = runs.idOf(given) ?? given;
  const header = runs.header(id);
  if (header === undefined || runs.isForeign(id)) return unknownRun(id);
  const starting = project.going.find(id);
  if (starting !== undefined && starting.begun === undefined) return toolError('invalid', [`run ${id} is starting`]);
  const request = { command: 'resume', name: id, params: [] } as const;
  const command = shownLine(request);
  const isHere = header.cwd === process.cwd() && header.file === resolve(project.file);
  if (!isHere) return toolError('invalid', [`run ${id} is of another file or directory than this server`], command);
  const read = await project.read();
  const planned = await planResume(io, { ...request, file: project.file }, runs.journal, key, read);
  if (!planned.ok) return toolError('invalid', planned.problems);
  const { problems, lines } = planned.value;
  if (problems.length > 0) return toolError('conflict', problems, command);
  const found = permitted(project, read, planned.value.plan.workflow);
  if (found.kind === 'result') return found;
  return {
    kind: 'proposal',
    planned: planned.value,
    agents: found.agents,
    lines: () => approvalLines(planned.value, lines),
    digest: planDigest(planned.value),
    command,
  };
}
