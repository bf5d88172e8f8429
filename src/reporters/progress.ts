import type { Outcome } from '../backend/execute.ts';
import { isMarkerName } from '../backend/process/base_environment.ts';
import { write } from '../backend/system/write.ts';
import { RunTracker, type StartedOp, type FinishedOp, type SkippedOp, type WaitingOp } from './run_tracker.ts';
import { endingWords, failureWords, placeOf, short, waitingWords, type Help } from './failure_text.ts';
import { fitPair, truncateMiddle, widthOf, wrap } from '../output/text_width.ts';
import { groupsOf } from './log_groups.ts';
import { formatElapsed, escapeText, createStyler, countSteps, type Styler, type Style } from '../output/style.ts';
import type { Io } from '../output/io.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { Reporter } from './reporter.ts';

/** At most this many skipped steps are named in the summary, and this many slow ones. */
const MOST_SKIPPED = 5;
const MOST_SLOW = 3;

/** How it failed is more than what it is called, of which so many columns are left. */
const SHORTEST = 12;

/**
 * Tells of a run with progress, times and a summary. What steps print goes past it: it only writes lines of its own
 * between them, each as wide as the terminal at most.
 */
export function progressReporter(
  io: Io,
  prepared: Prepared,
  style: Style,
  help: Help,
  isInterrupted: () => boolean,
): Reporter {
  const tracker = new RunTracker(prepared.plan);
  const styler = createStyler(style);
  const isInner = Object.keys(io.env).some(isMarkerName);
  // GitHub knows no groups in groups: a run inside a step of another one stays in the group of that.
  const groups = groupsOf(
    style.service === 'github' && isInner ? undefined : style.service,
    `${styler.sign('begin')} `,
  );
  let isOpen = false;
  // A terminal shows a Ctrl-C as `^C`, and leaves us in the middle of that line.
  let isTorn = style.columns === undefined;
  const show = (text: string, opens: boolean): void => {
    const tears = !isTorn && isInterrupted();
    isTorn ||= tears;
    write(io.stderr, [isOpen ? groups.close() : '', tears ? '\n' : '', text]);
    isOpen = opens;
  };
  return {
    onEvent: (event) => {
      const happening = tracker.follow(event);
      if (happening?.kind === 'begun') show(groups.open(heading(styler, happening)), true);
      else if (happening?.kind === 'ran') show(block(ending(styler, happening, help)), false);
      else if (happening?.kind === 'waiting') write(io.stderr, [block(waiting(styler, happening))]);
      else if (happening?.kind === 'skipped') show(block([skipping(styler, happening)]), false);
    },
    onEnd: (outcome) => show(block(['', ...summary(styler, prepared, tracker, outcome)]), false),
  };
}

function block(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function heading(styler: Styler, { op, title, workflow, count: { number, bound, exact } }: StartedOp): string {
  if (op.kind === 'hook') return styler.text(title, 'bold');
  const count = `${number}/${exact ? '' : styler.sign('most')}${bound}`;
  const [before, between] = [`${count} `, ` ${styler.sign('dot')} `];
  const left = styler.columns - widthOf(`${styler.sign('begin')} ${before}${between}`);
  const [name, of] = fitPair(left, escapeText(title), escapeText(workflow));
  return `${before}${styler.text(name, 'bold')}${between}${styler.text(of)}`;
}

function waiting(styler: Styler, { op, title, exit, attempt }: WaitingOp): string[] {
  const sign = styler.sign('again', 'faint');
  const name = truncateMiddle(escapeText(title), Math.floor(styler.columns / 2));
  const [first = '', ...rest] = wrap(`${name} ${escapeText(waitingWords(op, exit, attempt))}`, styler.columns - 5);
  return [
    `${sign} ${styler.text(first, 'faint')}`,
    ...rest.map((line) => `${styler.sign('more')}   ${styler.text(line, 'faint')}`),
  ];
}

function ending(styler: Styler, { op, title, exit, failed, allowed, attempts, ms }: FinishedOp, help: Help): string[] {
  const took = `${attempts === 1 ? '' : `in ${attempts} attempts, `}${formatElapsed(ms)}`;
  const [mark, colour] = allowed ? (['skip', 'faint'] as const) : (['bad', 'red'] as const);
  const sign = failed ? styler.sign(mark, colour) : styler.sign('good', 'green');
  const left = styler.columns - widthOf(`${sign}  ${took}`);
  const after = styler.text(took, 'faint');
  if (!failed) return [`${sign} ${styler.text(truncateMiddle(escapeText(title), left))} ${after}`];
  const [name, how] = fitPair(left - 1, escapeText(title), escapeText(endingWords(op, exit)), SHORTEST);
  const line = `${sign} ${styler.text(name, 'bold')} ${styler.text(how, colour)} ${after}`;
  return [line, ...help(op).flatMap((each) => more(styler, each))];
}

/** A line below another; what it goes on with stands further in. */
function more(styler: Styler, text: string): string[] {
  const before = styler.sign('more');
  const lines = wrap(escapeText(text), styler.columns - widthOf(before) - 3);
  return lines.map((line, index) => `${before} ${index === 0 ? '' : '  '}${line}`);
}

function skipping(styler: Styler, { title, isCall, steps: count, reason }: SkippedOp): string {
  const sign = styler.sign('skip', 'faint');
  const between = isCall ? ` (${countSteps(count)}): ` : ': ';
  const [name, why] = fitPair(styler.columns - widthOf(`${sign} ${between}`), escapeText(title), escapeText(reason));
  return `${sign} ${styler.text(`${name}${between}${why}`, 'faint')}`;
}

/** What ran, what was skipped and why, what failed and where it stands, what took longest. */
function summary(styler: Styler, prepared: Prepared, tracker: RunTracker, { success, interrupted }: Outcome): string[] {
  const { ran, skipped, unreached } = tracker;
  const done = ran.filter(({ op }) => op.kind === 'run');
  const ending = interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const counts = [
    `${countSteps(done.length)} ran`,
    ...(skipped.length === 0 ? [] : [`${skipped.reduce((sum, each) => sum + each.steps, 0)} skipped`]),
    ...(unreached === 0 ? [] : [`${unreached} not reached`]),
    formatElapsed(tracker.ms),
  ].join(', ');
  const sign = success ? styler.sign('good', 'green') : styler.sign('bad', 'red');
  const how = success ? 'succeeded' : styler.text(ending, 'red');
  const name = truncateMiddle(escapeText(short(prepared.plan.workflow)), styler.columns - widthOf(`${sign}  ${how}`));
  const title = `${sign} ${styler.text(name, 'bold')} ${how}`;
  const line = `${title}: ${counts}`;
  return [
    ...(widthOf(line) <= styler.columns ? [line] : [title, `${styler.sign('more')} ${counts}`]),
    ...ran.filter((each) => each.failed && !each.allowed).flatMap((each) => failure(styler, prepared, each)),
    ...ran.filter((each) => each.allowed).flatMap((each) => failure(styler, prepared, each)),
    ...skipped.slice(0, MOST_SKIPPED).flatMap(({ title: step, reason }) => {
      return rows(styler, 'skipped', [fitPair(beside(styler) - 2, escapeText(step), escapeText(reason)).join(': ')]);
    }),
    ...(skipped.length > MOST_SKIPPED ? rows(styler, '', [`and ${skipped.length - MOST_SKIPPED} more`]) : []),
    ...(done.length < 2 ? [] : slowest(styler, done)),
  ];
}

/** Lines of text beside a label. */
function rows(styler: Styler, label: string, lines: readonly string[]): string[] {
  return lines.map(
    (line, index) => `${styler.sign('more')} ${(index === 0 ? label : '').padEnd(8)} ${styler.text(line)}`,
  );
}

/** The columns that each of these has. */
function beside(styler: Styler): number {
  return styler.columns - widthOf(rows(styler, '', ['']).join(''));
}

/** Nothing of this is cut: somebody will want to go to that place. */
function failure(styler: Styler, prepared: Prepared, { op, exit, title, allowed }: FinishedOp): string[] {
  const how = exit.kind === 'not started' ? 'could not be started' : failureWords(exit);
  const text = `${title}: ${how.replace(/^failed with /, '')}, ${placeOf(prepared, op)}`;
  return rows(styler, allowed ? 'allowed' : 'failed', wrap(escapeText(text), beside(styler)));
}

function slowest(styler: Styler, done: readonly FinishedOp[]): string[] {
  const slow = done.toSorted((one, other) => other.ms - one.ms).slice(0, MOST_SLOW);
  const each = slow.map(({ title, ms }) => {
    const took = ` ${formatElapsed(ms)}`;
    return `${truncateMiddle(escapeText(title), beside(styler) - took.length)}${took}`;
  });
  const line = each.join(', ');
  return rows(styler, 'slowest', widthOf(line) <= beside(styler) ? [line] : each);
}
