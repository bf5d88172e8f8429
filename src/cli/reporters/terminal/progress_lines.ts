import { hasFailed } from '../../../backend/command_runner.ts';
import type { RunEvent } from '../../../backend/run_event.ts';
import { describeDeclined, skipReason } from '../op_text.ts';
import { elapsed, type EndedOp, type Skip } from '../op_results.ts';
import { fitPair, truncateMiddle, widthOf, wrap } from '../../output/text_width.ts';
import { formatStepCount, formatElapsed } from '../../output/quantities.ts';
import { escapeText, type Styler } from '../../output/style.ts';
import type { CommandOp } from '../../../ir/plan.ts';
import { truncateLine } from '../../../base/truncate.ts';
import { describeReady } from '../file/report.ts';
import type { ReportedRun } from '../reporter_type.ts';
import { unusualText, usualText } from '../times/usual_text.ts';

/** Minimum width of a title next to a failure, which is more important. */
const MIN_TITLE = 12;

/** The heading of a command: its number, its name and its workflow. */
export function heading(styler: Styler, run: ReportedRun, op: CommandOp, index: number): string {
  const { number, total } = run.results.count;
  const usual = usualText(run.usual()?.ofStep(index));
  const { title, workflow } = run.titles.of({ op });
  if (op.kind === 'hook') return styler.text(title, 'bold');
  const [before, between] = [`${number}/${total} `, ` ${styler.sign('dot')} `];
  const room = styler.columns - widthOf(`${styler.sign('begin')} ${before}${between}`);
  const last = usual === '' ? '' : `${between}${usual}`;
  const isShown = room - widthOf(last) >= 2 * MIN_TITLE;
  const left = isShown ? room - widthOf(last) : room;
  const [name, of] = fitPair(left, escapeText(title), escapeText(workflow));
  return `${before}${styler.text(name, 'bold')}${between}${styler.text(of)}${isShown && last !== '' ? styler.text(last, 'faint') : ''}`;
}

export function waiting(
  styler: Styler,
  { titles, text }: ReportedRun,
  event: RunEvent & { kind: 'waiting' },
): string[] {
  const { op, exit, attempt } = event;
  const sign = styler.sign('again', 'faint');
  const name = truncateMiddle(escapeText(titles.inFull(op)), Math.floor(styler.columns / 2));
  const [first = '', ...rest] = wrap(`${name} ${escapeText(text.retry(op, exit, attempt))}`, styler.columns - 5);
  return [
    `${sign} ${styler.text(first, 'faint')}`,
    ...rest.map((line) => `${styler.sign('more')}   ${styler.text(line, 'faint')}`),
  ];
}

/** The line for a step in the background that is ready. */
export function readiness(styler: Styler, { titles }: ReportedRun, event: RunEvent & { kind: 'ready' }): string {
  const { op, milliseconds } = event;
  const took = describeReady(milliseconds);
  const title = truncateMiddle(
    escapeText(titles.inFull(op)),
    styler.columns - widthOf(`${styler.sign('good')}  ${took}`),
  );
  return `${styler.sign('good', 'green')} ${styler.text(title)} ${styler.text(took, 'faint')}`;
}

/** The lines for a command that has ended, with hints if it failed, unless the run is interrupted. */
export function ending(styler: Styler, run: ReportedRun, ended: EndedOp, isDebug: boolean): string[] {
  const { op, exit, allowed, attempts, status, index } = ended;
  const { titles, text, results } = run;
  const usual = run.usual()?.ofStep(index);
  const [title, failed] = [titles.inFull(op), hasFailed(exit)];
  const tries = attempts < 2 ? '' : `in ${attempts} attempts, `;
  const took = `${status === 'stopped' ? 'stopped after ' : tries}${formatElapsed(elapsed(ended))}${unusualText(elapsed(ended), usual)}`;
  const [mark, colour] = allowed ? (['skip', 'faint'] as const) : (['bad', 'red'] as const);
  const sign = failed ? styler.sign(mark, colour) : styler.sign('good', 'green');
  const time = styler.text(took, 'faint');
  const done = op.kind === 'hook' ? ' succeeded' : '';
  const left = styler.columns - widthOf(`${sign}  ${took}`);
  if (!failed) return [`${sign} ${styler.text(truncateMiddle(escapeText(title), left - done.length))}${done} ${time}`];
  const comma = attempts < 2 ? ',' : '';
  const failure = escapeText(text.failure(op, exit));
  const room = left - 1 - comma.length;
  const name = truncateMiddle(escapeText(title), Math.max(room - widthOf(failure), MIN_TITLE));
  const [how = '', ...more] = wrap(failure, room - widthOf(name));
  const end = `${comma} ${time}`;
  const line = `${sign} ${styler.text(name, 'bold')} ${styler.text(how, colour)}${more.length === 0 ? end : ''}`;
  // The reason is broken over lines, never cut.
  const rest = wrap(more.join(' '), styler.columns - 2).map((each) => `  ${styler.text(each, colour)}`);
  const last = rest.pop();
  const hints = results.isInterrupted ? [] : text.hints(ended, isDebug);
  const lines = more.length === 0 ? [line] : [line, ...rest, `${last}${end}`];
  return [...lines, ...hints.flatMap((each) => belowLine(styler, each))];
}

/** Lines below another one; continuation lines are indented further. */
function belowLine(styler: Styler, text: string): string[] {
  const before = styler.sign('more');
  const lines = wrap(escapeText(text), styler.columns - widthOf(before) - 3);
  return lines.map((line, index) => `${before} ${index === 0 ? '' : '  '}${line}`);
}

/** The line for a step that could not be started. */
export function refusal(styler: Styler, { titles }: ReportedRun, event: RunEvent & { kind: 'refused' }): string[] {
  return failureLines(styler, `${titles.ofStep(event.step)} could not be started: ${event.reason}`);
}

/** The line for a step that was not confirmed. */
export function declined(styler: Styler, { titles }: ReportedRun, event: RunEvent & { kind: 'declined' }): string[] {
  return failureLines(styler, `${titles.inFull(event.op)} ${describeDeclined(event)}`);
}

/** A line in red, broken at words. */
export function failureLines(styler: Styler, text: string): string[] {
  const [first = '', ...rest] = wrap(escapeText(text), styler.columns - 2);
  return [`${styler.sign('bad', 'red')} ${styler.text(first, 'red')}`, ...rest.map((line) => `  ${line}`)];
}

export function skipping(styler: Styler, { titles }: ReportedRun, skip: Skip): string {
  const { title, isCall } = titles.ofSkipped(skip);
  const sign = styler.sign('skip', 'faint');
  const between = isCall ? ` (${formatStepCount(skip.steps)}): ` : ': ';
  const [name, why] = fitPair(styler.columns - widthOf(`${sign} ${between}`), escapeText(title), reasonOf(skip));
  return `${sign} ${styler.text(`${name}${between}${why}`, 'faint')}`;
}

export function reasonOf({ op, exit }: Skip): string {
  return escapeText(truncateLine(skipReason(op, exit)));
}
