import { hasFailed } from '../backend/command_runner.ts';
import type { Outcome, RunEvent } from '../backend/run_event.ts';
import { isMarkerName } from '../backend/process/base_environment.ts';
import { runCounts } from './file/step_counts.ts';
import { describeDeclined, describeOp, describePosition, skipReason } from './op_text.ts';
import { elapsed, type EndedOp, type OpResults, type Skip } from './op_results.ts';
import { describeExit, locationOf, type FailureText } from './failure_text.ts';
import { fitPair, truncateMiddle, widthOf, wrap } from '../output/text_width.ts';
import { createGroups } from './log_groups.ts';
import { formatStepCount, formatElapsed } from '../output/quantities.ts';
import { escapeText, createStyler, type Styler, type Style } from '../output/style.ts';
import type { CommandOp, ParallelOp } from '../ir/plan.ts';
import { writeStderr, type Io } from '../output/io.ts';
import { truncateLine } from '../truncate.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { ReportedRun, Reporter } from './reporter.ts';
import { TerminalTitle } from './terminal_title.ts';
import { Titles } from './titles.ts';

/** Maximum number of skipped and of slow steps in the summary. */
const MAX_SKIPPED = 5;
const MAX_SLOW = 3;

/** Minimum width of a title next to a failure, which is more important. */
const MIN_TITLE = 12;

/**
 * Reports a run with progress, times and a summary, in lines no wider than the terminal. Step output does not pass
 * through the reporter, which writes its lines in between.
 */
export function progressReporter(io: Io, style: Style, run: ReportedRun): Reporter {
  const { prepared, results, text } = run;
  const titles = new Titles(prepared.plan);
  const styler = createStyler(style);
  const hasTitle = style.columns !== undefined && style.signs && io.env['TERM'] !== 'dumb';
  const terminalTitle = hasTitle ? TerminalTitle.of(io.stderr) : undefined;
  const isInner = Object.keys(io.env).some(isMarkerName);
  // GitHub has no nested groups: the groups of a run inside of a step are left out.
  const groups = createGroups(
    style.service === 'github' && isInner ? undefined : style.service,
    `${styler.sign('begin')} `,
  );
  let isGroupOpen = false;
  // A terminal echoes Ctrl-C as `^C`, so the next line must start on a new one.
  let isLineFresh = style.columns === undefined;
  /** The number of open groups of steps. Output of their members stays in the group of the outermost one. */
  let running = 0;
  const show = (text: string, opensGroup = isGroupOpen && running > 0): void => {
    const breaksLine = !isLineFresh && results.isInterrupted;
    isLineFresh ||= breaksLine;
    const closesGroup = isGroupOpen && (!opensGroup || running === 0);
    // Commands to a CI service; the end of a group begins with a line break.
    if (style.service !== undefined && opensGroup && !closesGroup) io.shared?.startLine();
    writeStderr(io, [closesGroup ? groups.close() : '', breaksLine ? '\n' : '', text]);
    isGroupOpen = opensGroup;
  };
  return {
    begin: (id) => id !== null && style.columns !== undefined && show(block([styler.text(`run ${id}`, 'faint')])),
    onEvent: ({ event, entry }) => {
      if (event.kind === 'ended') terminalTitle?.end(event.op);
      if (entry?.kind === 'ended')
        show(block(ending(styler, titles, entry, text, results.isInterrupted ? [] : text.hints(entry.op, false))));
      else if (entry?.kind === 'skip') show(block([skipping(styler, titles, entry)]));
      else if (event.kind === 'started' && event.op.kind !== 'condition') {
        terminalTitle?.start(event.op, escapeText(titles.ofOp(event.op)));
        const title = heading(styler, titles, event.op, results);
        show(running > 0 ? groupLine(styler, title) : groups.open(title), isGroupOpen || running === 0);
      } else if (event.kind === 'group started') {
        const members = results.runningMembers(event.op);
        if (members > 0) show(groups.open(groupHeading(styler, event.op, members)), true);
        running += 1;
      } else if (event.kind === 'group ended') {
        running -= 1;
        if (running === 0) show('', false);
      } else if (event.kind === 'member output') show(groupLine(styler, escapeText(titles.ofBranch(event.branch))));
      else if (event.kind === 'waiting') writeStderr(io, [block(waiting(styler, titles, event, text))]);
      else if (event.kind === 'refused') show(block(refusal(styler, prepared, event)));
      else if (event.kind === 'declined') show(block(declined(styler, prepared, event)));
    },
    onEnd: (outcome) => {
      terminalTitle?.close();
      show(block(['', ...summary(styler, titles, run, outcome)]), false);
    },
  };
}

function block(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The heading of a group of steps: its name and the number of its members that run. */
function groupHeading(styler: Styler, { name }: ParallelOp, members: number): string {
  const count = ` ${styler.sign('dot')} ${members} in parallel`;
  const title = truncateMiddle(
    escapeText(truncateLine(name)),
    styler.columns - widthOf(`${styler.sign('begin')} ${count}`),
  );
  return `${styler.text(title, 'bold')}${count}`;
}

/** A heading inside of a group of steps, which no CI service folds. */
function groupLine(styler: Styler, text: string): string {
  return `${styler.sign('begin')} ${text}\n`;
}

function heading(styler: Styler, titles: Titles, op: CommandOp, { count: { number, total } }: OpResults): string {
  const { title, workflow } = titles.of({ op });
  if (op.kind === 'hook') return styler.text(title, 'bold');
  const [before, between] = [`${number}/${total} `, ` ${styler.sign('dot')} `];
  const left = styler.columns - widthOf(`${styler.sign('begin')} ${before}${between}`);
  const [name, of] = fitPair(left, escapeText(title), escapeText(workflow));
  return `${before}${styler.text(name, 'bold')}${between}${styler.text(of)}`;
}

function waiting(
  styler: Styler,
  titles: Titles,
  { op, exit, attempt }: RunEvent & { kind: 'waiting' },
  text: FailureText,
): string[] {
  const sign = styler.sign('again', 'faint');
  const name = truncateMiddle(escapeText(titles.ofOp(op)), Math.floor(styler.columns / 2));
  const [first = '', ...rest] = wrap(`${name} ${escapeText(text.retry(op, exit, attempt))}`, styler.columns - 5);
  return [
    `${sign} ${styler.text(first, 'faint')}`,
    ...rest.map((line) => `${styler.sign('more')}   ${styler.text(line, 'faint')}`),
  ];
}

function ending(styler: Styler, titles: Titles, ended: EndedOp, text: FailureText, hints: readonly string[]): string[] {
  const { op, exit, allowed, attempts } = ended;
  const [title, failed] = [titles.ofOp(op), hasFailed(exit)];
  const took = `${attempts < 2 ? '' : `in ${attempts} attempts, `}${formatElapsed(elapsed(ended))}`;
  const [mark, colour] = allowed ? (['skip', 'faint'] as const) : (['bad', 'red'] as const);
  const sign = failed ? styler.sign(mark, colour) : styler.sign('good', 'green');
  const time = styler.text(took, 'faint');
  const left = styler.columns - widthOf(`${sign}  ${took}`);
  if (!failed) return [`${sign} ${styler.text(truncateMiddle(escapeText(title), left))} ${time}`];
  const comma = attempts < 2 ? ',' : '';
  const failure = escapeText(text.failure(op, exit));
  const [name, how] = fitPair(left - 1 - comma.length, escapeText(title), failure, MIN_TITLE);
  const line = `${sign} ${styler.text(name, 'bold')} ${styler.text(how, colour)}${comma} ${time}`;
  return [line, ...hints.flatMap((each) => belowLine(styler, each))];
}

/** Lines below another one; continuation lines are indented further. */
function belowLine(styler: Styler, text: string): string[] {
  const before = styler.sign('more');
  const lines = wrap(escapeText(text), styler.columns - widthOf(before) - 3);
  return lines.map((line, index) => `${before} ${index === 0 ? '' : '  '}${line}`);
}

function refusal(styler: Styler, { plan }: Prepared, { step, reason }: RunEvent & { kind: 'refused' }): string[] {
  return failureLines(styler, `${describePosition(plan, step)} could not be started: ${reason}`);
}

function declined(styler: Styler, { plan }: Prepared, event: RunEvent & { kind: 'declined' }): string[] {
  return failureLines(styler, `${describeOp(plan, event.op)} ${describeDeclined(event)}`);
}

function failureLines(styler: Styler, text: string): string[] {
  const [first = '', ...rest] = wrap(escapeText(text), styler.columns - 2);
  return [`${styler.sign('bad', 'red')} ${styler.text(first, 'red')}`, ...rest.map((line) => `  ${line}`)];
}

function skipping(styler: Styler, titles: Titles, skip: Skip): string {
  const { title, isCall } = titles.ofSkipped(skip);
  const sign = styler.sign('skip', 'faint');
  const between = isCall ? ` (${formatStepCount(skip.steps)}): ` : ': ';
  const [name, why] = fitPair(styler.columns - widthOf(`${sign} ${between}`), escapeText(title), reasonOf(skip));
  return `${sign} ${styler.text(`${name}${between}${why}`, 'faint')}`;
}

function reasonOf({ op, exit }: Skip): string {
  return escapeText(truncateLine(skipReason(op, exit)));
}

/** The counts of steps, the failures and their positions, the skipped steps and their reasons, the slowest steps. */
function summary(
  styler: Styler,
  titles: Titles,
  { prepared, results, text }: ReportedRun,
  { success, interrupted }: Outcome,
): string[] {
  const finished = results.history.filter((each) => each.kind === 'ended');
  const failed = finished.filter(({ exit }) => hasFailed(exit));
  const skipped = results.history.filter((each) => each.kind === 'skip');
  const ending = interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const counts = runCounts(results);
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
      labelled(styler, each.allowed ? 'allowed' : 'failed', failure(styler, titles, { prepared, text }, each)),
    ),
    ...skipped.slice(0, MAX_SKIPPED).flatMap((skip) => {
      const { title: step } = titles.ofSkipped(skip);
      return labelled(styler, 'skipped', [
        fitPair(columnsBeside(styler) - 2, escapeText(step), reasonOf(skip)).join(': '),
      ]);
    }),
    ...(skipped.length > MAX_SKIPPED ? labelled(styler, '', [`and ${skipped.length - MAX_SKIPPED} more`]) : []),
    ...slowest(styler, titles, finished),
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
function failure(
  styler: Styler,
  titles: Titles,
  { prepared, text }: Pick<ReportedRun, 'prepared' | 'text'>,
  { op, exit }: EndedOp,
): string[] {
  const how = exit.kind === 'not started' ? 'could not be started' : describeExit(exit, [], text.cause(op));
  const line = `${titles.ofOp(op)}: ${how.replace(/^failed with /, '')}, ${locationOf(prepared, op)}`;
  return wrap(escapeText(line), columnsBeside(styler));
}

/** The slowest steps, if at least two ran. */
function slowest(styler: Styler, titles: Titles, finished: readonly EndedOp[]): string[] {
  const ran = finished.filter(({ op, status }) => op.kind === 'run' && status !== 'not started');
  if (ran.length < 2) return [];
  const slow = ran.toSorted((one, other) => elapsed(other) - elapsed(one)).slice(0, MAX_SLOW);
  const each = slow.map((step) => {
    const took = ` ${formatElapsed(elapsed(step))}`;
    return `${truncateMiddle(escapeText(titles.ofOp(step.op)), columnsBeside(styler) - took.length)}${took}`;
  });
  const line = each.join(', ');
  return labelled(styler, 'slowest', widthOf(line) <= columnsBeside(styler) ? [line] : each);
}
