import { approvalText, CHANGED, escapeHidden } from '../../../../src/internal.ts';
import type { Approvals } from '../approval/approvals.ts';
import { approvalForm, isApproved } from '../approval/form.ts';
import type { Call, Question } from '../approval/person.ts';
import { toolError, toolResult, type ToolResult } from '../results/tool_result.ts';
import type { GoingRuns } from '../runs/going_runs.ts';
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

/** Starts runs, after the approval of a person where the policy asks for it. */
export class Starter {
  readonly #project: Project;
  readonly #going: GoingRuns;
  readonly #approvals: Approvals;

  constructor(project: Project, going: GoingRuns, approvals: Approvals) {
    this.#project = project;
    this.#going = going;
    this.#approvals = approvals;
  }

  async start(start: Start, call: Call): Promise<ToolResult | Question> {
    const { round } = call.person;
    if (round !== undefined) {
      const asked = this.#approvals.redeem(round.state, start.call);
      if (asked === undefined) return toolError('state', [STATE]);
      if (!isApproved(asked.form, round.answer)) return toolError('declined', [DECLINED]);
      return this.#startApproved(start, asked.binding, call);
    }
    const proposal = await start.propose();
    if (proposal.kind === 'result') return proposal;
    if (start.digest !== undefined && start.digest !== proposal.digest)
      return toolError('changed', [`the digest of the plan is ${proposal.digest}; nothing was started`]);
    return proposal.agents === 'allow' ? this.#begin(start, proposal, call) : this.#ask(start, proposal, call);
  }

  async #ask(start: Start, proposal: Proposal, call: Call): Promise<ToolResult | Question> {
    const { lines, planned, command } = proposal;
    if (!call.person.canAsk) return toolError('cannot_ask', [CANNOT_ASK], command);
    const text = approvalText(lines());
    if (text === undefined) return toolError('too_long', [TOO_LONG], command);
    const runs = this.#project.runs();
    if (runs.ok && this.#going.isBusy(runs.value)) return toolError('busy', [BUSY]);
    const form = approvalForm(
      escapeHidden(`Run workflow '${planned.plan.workflow}'`),
      text,
      planned.questions.map((line) => escapeHidden(line)),
    );
    const binding = bindingOf(proposal);
    const { ask } = call.person;
    if (ask === undefined) {
      const state = this.#approvals.open({ call: start.call, binding, form });
      return { kind: 'question', form, state };
    }
    if (!isApproved(form, await ask(form))) return toolError('declined', [DECLINED]);
    return this.#startApproved(start, binding, call);
  }

  /** Plans what was approved once more, with the policy, and starts it if it is the same. */
  async #startApproved(start: Start, binding: string, call: Call): Promise<ToolResult> {
    const proposal = await start.propose();
    if (proposal.kind === 'result') return proposal;
    return bindingOf(proposal) === binding ? this.#begin(start, proposal, call) : toolError('changed', [CHANGED]);
  }

  async #begin({ wait_s: wait = WAIT }: Start, proposal: Proposal, call: Call): Promise<ToolResult> {
    const opened = this.#project.runs();
    if (!opened.ok) return toolError('invalid', opened.problems);
    const runs = opened.value;
    const { run } = proposal.planned;
    const tell = progressOf(runs, run, call);
    // The host has withdrawn the call, and reads no answer.
    if (call.signal.aborted) return toolError('declined', [DECLINED]);
    const going = this.#going.start(runs, proposal);
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
}

const DECLINED = 'the run was not approved; nothing was started';
const STATE = 'this approval is for another call, was used already, or is too old; nothing was started';
const BUSY = 'too many runs of this server are in progress; nothing was started';
const CANNOT_ASK = 'a person has to approve this run, and this host shows no form; the person can type the command';
const TOO_LONG = 'the plan is too long to be approved in a form; a person can read it, and type the command';
