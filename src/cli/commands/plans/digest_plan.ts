import { givenFlags } from '../../driver/flag_words.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { prepare, type PreparedRun } from '../../driver/prepare_run.ts';
import { planDigest } from '../../../ir/views/plan_digest.ts';
import { print, printDocument } from '../../output/document.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { printMessages } from '../../output/messages/print_messages.ts';
import { reportHidden } from './make_plan.ts';

/** `workflow plan --digest`: prints the digest of the plan that `run` would execute here. */
export async function digestPlan(io: Io, options: Options): Promise<number> {
  const prepared = await printMessages(io, options, prepare(io, options, 'run'));
  if (prepared === undefined) return EXIT.cannotStart;
  const { plan } = prepared;
  reportHidden(io, plan);
  const digest = planDigest({ ...prepared, args: options.args });
  if (options.format === 'text') return print(io, [`${digest}\n`], EXIT.ok);
  return printDocument(io, { workflow: plan.workflow, digest }, options, EXIT.ok);
}

/** The flags of `run` that select a part of a plan, another machine or another way to run it. */
const OTHER_RUNS = ['from', 'until', 'only', 'on', 'watch', 'assume'] as const;

/** Refuses a `--plan-digest` that is malformed or cannot hold for the run. Returns undefined if it can be compared. */
export function refuseDigest(io: Io, options: Options): number | undefined {
  const other = givenFlags(options, OTHER_RUNS)[0];
  if (other !== undefined) {
    return refuse(io, [`'--plan-digest' covers a whole plan on this machine, and cannot be used with '${other}'`]);
  }
  if (/^[0-9a-f]{64}$/i.test(options.planDigest ?? '')) return undefined;
  return refuse(io, ["'--plan-digest' must have 64 hexadecimal digits, as 'cli plan NAME --digest' prints them"]);
}

/** Refuses a plan whose digest is not that of `--plan-digest`; undefined if it is. */
export function refuseOtherPlan(io: Io, prepared: PreparedRun, options: Options): number | undefined {
  const digest = planDigest({ ...prepared, args: options.args });
  if (digest === options.planDigest?.toLowerCase()) return undefined;
  return refuse(io, [
    `the plan of workflow '${prepared.plan.workflow}' is not the approved one`,
    `its digest is ${digest}; to see the plan, replace --plan-digest by --dry-run`,
  ]);
}
