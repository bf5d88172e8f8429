import { isInBackground } from '../../../ir/ops.ts';
import { hasFailed } from '../../../backend/command_runner.ts';
import type { Outcome } from '../../../backend/run_event.ts';
import { runCounts } from '../file/report.ts';
import { elapsed, type EndedOp } from '../op_results.ts';
import { describeExit, locationOf, outputHint } from '../failure_text.ts';
import { fitPair, truncateMiddle, widthOf, wrap } from '../../output/text_width.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { escapeText, type Styler } from '../../output/style.ts';
import { truncateLine } from '../../../base/truncate.ts';
import type { ReportedRun } from '../reporter_type.ts';
import { longestChain } from '../times/longest_chain.ts';
import { usualRunText } from '../times/usual_text.ts';
import { reasonOf } from './progress_lines.ts';

/** Maximum number of skipped and of slow steps in the summary. */
const MAX_SKIPPED = 5;
const MAX_SLOW = 3;

/** The counts of steps, the failures and their positions, the skipped steps and their reasons, the slowest steps. */
export function summary(styler: Styler, run: ReportedRun, { success, interrupted }: Outcome): string[] {
  const { prepared, results, titles } = run;
  const finished = results.history.filter((each) => each.kind === 'ended');
  const failed = finished.filter(({ exit }) => hasFailed(exit));
  const skipped = results.history.filter((each) => each.kind === 'skip');
  const ending = interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const counts = `${runCounts(results)}${usualRunText(run)}`;
  const chain = longestChain(run);
  const sign = success ? styler.sign('good', 'green') : styler.sign('bad', 'red');
  const how = success ? 'succeeded' : styler.text(ending, 'red');
  const name = truncateMiddle(
    escapeText(truncateLine(prepared.plan.workflow)),
    styler.columns - widthOf(`${sign}  ${how}`),
  );
  const title = `${sign} ${styler.text(name, 'bold')} ${how}`;
  const line = `${title}: ${counts}`;
  return [
    ...(widthOf(line) <= styler.columns ? [line] : [title, `${styler.sign('more')} ${counts}`]),
    ...[...failed.filter((each) => !each.allowed), ...failed.filter((each) => each.allowed)].flatMap((each) =>
      labelled(styler, each.allowed ? 'allowed' : 'failed', failure(styler, run, each)),
    ),
    ...skipped.slice(0, MAX_SKIPPED).flatMap((skip) => {
      const { title: step } = titles.ofSkipped(skip);
      return labelled(styler, 'skipped', [
        fitPair(columnsBeside(styler) - 2, escapeText(step), reasonOf(skip)).join(': '),
      ]);
    }),
    ...(skipped.length > MAX_SKIPPED ? labelled(styler, '', [`and ${skipped.length - MAX_SKIPPED} more`]) : []),
    ...slowest(styler, run, finished),
    ...(chain === undefined ? [] : labelled(styler, 'longest', wrap(escapeText(chain), columnsBeside(styler)))),
  ];
}

/** Lines of text next to a label. */
function labelled(styler: Styler, label: string, lines: readonly string[]): string[] {
  return lines.map(
    (line, index) => `${styler.sign('more')} ${(index === 0 ? label : '').padEnd(8)} ${styler.text(line)}`,
  );
}

/** The width next to a label, in columns. */
function columnsBeside(styler: Styler): number {
  return styler.columns - widthOf(labelled(styler, '', ['']).join(''));
}

/** Wrapped, never truncated: editors and terminals link to the position. */
function failure(styler: Styler, { prepared, titles, text }: ReportedRun, { op, exit }: EndedOp): string[] {
  const how = exit.kind === 'not started' ? 'could not be started' : describeExit(exit, [], text.cause(op));
  const line = `${titles.inFull(op)}: ${how.replace(/^failed with /, '')}, ${locationOf(prepared, op)}`;
  return [line, ...outputHint(exit)].flatMap((each) => wrap(escapeText(each), columnsBeside(styler)));
}

/** The slowest steps, if at least two ran. Those in the background take the time of others. */
function slowest(styler: Styler, { titles }: ReportedRun, finished: readonly EndedOp[]): string[] {
  const ran = finished.filter(({ op, status }) => op.kind === 'run' && status !== 'not started' && !isInBackground(op));
  if (ran.length < 2) return [];
  const slow = ran.toSorted((one, other) => elapsed(other) - elapsed(one)).slice(0, MAX_SLOW);
  const each = slow.map((step) => {
    const took = ` ${formatElapsed(elapsed(step))}`;
    return `${truncateMiddle(escapeText(titles.inFull(step.op)), columnsBeside(styler) - took.length)}${took}`;
  });
  const line = each.join(', ');
  return labelled(styler, 'slowest', widthOf(line) <= columnsBeside(styler) ? [line] : each);
}
