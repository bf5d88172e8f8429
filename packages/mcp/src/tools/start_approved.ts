import { approvalText, CHANGED, escapeHidden } from '../../../../src/internal.ts';
import { approvalForm, isApproved } from '../approval/form.ts';
import type { Call, Question } from '../approval/person.ts';
import { toolError, toolResult, type ToolResult } from '../results/tool_result.ts';
import type { Project } from '../runs/project.ts';
import { bindingOf, type Proposal, type Proposed } from '../runs/proposal.ts';
import { showRun } from '../runs/show_run.ts';
import { progressOf, waitFor } from '../runs/watch_run.ts';

/** How long a call waits for the end of a run, in seconds, if no time is given. */
const WAIT = 20;

/** The states of a run that is going on or has succeeded. */
const FINE: ReadonlySet<unknown> = new Set(['starting', 'running', 'waiting', 'unclear', 'succeeded', 'stopped']);

/**
 * The run to start: the text of the call, a function that plans it anew, the expected digest, and how long to wait for
 * its end.
 */
type Start = Readonly<{
  call: string;
  propose: () => Promise<Proposed>;
  digest?: string | undefined;
  wait_s?: number | undefined;
}>;

/** Starts a run, after the approval of a person where the policy asks for it. */
export async function startApproved(project: Project, start: Start, call: Call): Promise<ToolResult | Question> {
  const { round } = call.person;
  if (round !== undefined) {
    const asked = project.approvals.redeem(round.state, start.call);
    if (asked === undefined) return toolError('state', [STATE]);
    if (!isApproved(asked.form, round.answer)) return toolError('declined', [DECLINED]);
    return startIfSame(project, start, asked.binding, call);
  }
  const proposal = await start.propose();
  if (proposal.kind === 'result') return proposal;
  if (start.digest !== undefined && start.digest !== proposal.digest)
    return toolError('changed', [`the digest of the plan is ${proposal.digest}; nothing was started`]);
  return proposal.agents === 'allow' ? begin(project, start, proposal, call) : ask(project, start, proposal, call);
}

async function ask(project: Project, start: Start, proposal: Proposal, call: Call): Promise<ToolResult | Question> {
  const { lines, planned, command } = proposal;
  if (!call.person.canAsk) return toolError('cannot_ask', [CANNOT_ASK], command);
  const text = approvalText(lines());
  if (text === undefined) return toolError('too_long', [TOO_LONG], command);
  const runs = project.runs();
  if (runs.kind === 'files' && project.going.isBusy(runs)) return toolError('busy', [BUSY]);
  const form = approvalForm(
    escapeHidden(`Run workflow '${planned.plan.workflow}'`),
    text,
    planned.questions.map((line) => escapeHidden(line)),
  );
  const binding = bindingOf(proposal);
  const { ask: show } = call.person;
  if (show === undefined) {
    const state = project.approvals.open({ call: start.call, binding, form });
    return { kind: 'question', form, state };
  }
  if (!isApproved(form, await show(form))) return toolError('declined', [DECLINED]);
  return startIfSame(project, start, binding, call);
}

/** Plans what was approved once more, with the policy, and starts it if it is the same. */
async function startIfSame(project: Project, start: Start, binding: string, call: Call): Promise<ToolResult> {
  const proposal = await start.propose();
  if (proposal.kind === 'result') return proposal;
  return bindingOf(proposal) === binding ? begin(project, start, proposal, call) : toolError('changed', [CHANGED]);
}

async function begin(
  project: Project,
  { wait_s: wait = WAIT }: Start,
  proposal: Proposal,
  call: Call,
): Promise<ToolResult> {
  const runs = project.runs();
  if (runs.kind === 'result') return runs;
  const { planned, agents } = proposal;
  const { run } = planned;
  const tell = progressOf(runs, run, call);
  // The host has withdrawn the call, and reads no answer.
  if (call.signal.aborted) return toolError('declined', [DECLINED]);
  const going = project.going.start(runs, planned, agents === 'allow' ? 'allowed' : 'approved');
  if (going === undefined) return toolError('busy', [BUSY]);
  call.signal.addEventListener('abort', going.interrupt);
  const isOver = (): boolean => {
    if (going.begun?.ok !== true) return going.begun !== undefined;
    tell();
    return runs.isSettled(run);
  };
  await waitFor(isOver, wait, call.signal);
  tell();
  call.signal.removeEventListener('abort', going.interrupt);
  const shown = showRun(runs, run, going);
  return shown.isError ? shown : toolResult(shown.content, !FINE.has(shown.content['state']));
}

const DECLINED = 'the run was not approved; nothing was started';
const STATE = 'this approval is for another call, was used already, or is too old; nothing was started';
const BUSY = 'too many runs of this server are in progress; nothing was started';
const CANNOT_ASK = 'a person has to approve this run, and this host shows no form; the person can type the command';
const TOO_LONG = 'the plan is too long to be approved in a form; a person can read it, and type the command';
