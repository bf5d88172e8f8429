import type { Outcome } from '../backend/execute.ts';
import { isMarkerName } from '../backend/process/base_environment.ts';
import { write } from '../backend/system/write.ts';
import { Course, type Begun, type Ran, type Skipped, type Waiting } from './run_tracker.ts';
import { endingWords, failureWords, placeOf, short, waitingWords, type Help } from './failure_text.ts';
import { share, squeeze, widthOf, wrap } from '../output/text_width.ts';
import { groupsOf } from './log_groups.ts';
import { duration, harmless, inkOf, steps, type Ink, type Style } from '../output/style.ts';
import type { Io } from '../output/io.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { Teller } from './reporter.ts';

/** At most this many skipped steps are named in the summary, and this many slow ones. */
const MOST_SKIPPED = 5;
const MOST_SLOW = 3;

/** How it failed is more than what it is called, of which so many columns are left. */
const SHORTEST = 12;

/**
 * Tells of a run with progress, times and a summary. What steps print goes past it: it only writes lines of its own
 * between them, each as wide as the terminal at most.
 */
export function progress(io: Io, prepared: Prepared, look: Style, help: Help, isInterrupted: () => boolean): Teller {
  const course = new Course(prepared.plan);
  const ink = inkOf(look);
  const isInner = Object.keys(io.env).some(isMarkerName);
  // GitHub knows no groups in groups: a run inside a step of another one stays in the group of that.
  const groups = groupsOf(look.service === 'github' && isInner ? undefined : look.service, `${ink.sign('begin')} `);
  let isOpen = false;
  // A terminal shows a Ctrl-C as `^C`, and leaves us in the middle of that line.
  let isTorn = look.room === undefined;
  const show = (text: string, opens: boolean): void => {
    const tears = !isTorn && isInterrupted();
    isTorn ||= tears;
    write(io.stderr, [isOpen ? groups.close() : '', tears ? '\n' : '', text]);
    isOpen = opens;
  };
  return {
    tell: (event) => {
      const happening = course.follow(event);
      if (happening?.kind === 'begun') show(groups.open(heading(ink, happening)), true);
      else if (happening?.kind === 'ran') show(block(ending(ink, happening, help)), false);
      else if (happening?.kind === 'waiting') write(io.stderr, [block(waiting(ink, happening))]);
      else if (happening?.kind === 'skipped') show(block([skipping(ink, happening)]), false);
    },
    end: (outcome) => show(block(['', ...summary(ink, prepared, course, outcome)]), false),
  };
}

function block(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function heading(ink: Ink, { op, title, workflow, count: { number, bound, exact } }: Begun): string {
  if (op.kind === 'hook') return ink.text(title, 'bold');
  const count = `${number}/${exact ? '' : ink.sign('most')}${bound}`;
  const [before, between] = [`${count} `, ` ${ink.sign('dot')} `];
  const left = ink.room - widthOf(`${ink.sign('begin')} ${before}${between}`);
  const [name, of] = share(left, harmless(title), harmless(workflow));
  return `${before}${ink.text(name, 'bold')}${between}${ink.text(of)}`;
}

function waiting(ink: Ink, { op, title, exit, attempt }: Waiting): string[] {
  const sign = ink.sign('again', 'faint');
  const name = squeeze(harmless(title), Math.floor(ink.room / 2));
  const [first = '', ...rest] = wrap(`${name} ${harmless(waitingWords(op, exit, attempt))}`, ink.room - 5);
  return [
    `${sign} ${ink.text(first, 'faint')}`,
    ...rest.map((line) => `${ink.sign('more')}   ${ink.text(line, 'faint')}`),
  ];
}

function ending(ink: Ink, { op, title, exit, failed, allowed, attempts, ms }: Ran, help: Help): string[] {
  const took = `${attempts === 1 ? '' : `in ${attempts} attempts, `}${duration(ms)}`;
  const [mark, colour] = allowed ? (['skip', 'faint'] as const) : (['bad', 'red'] as const);
  const sign = failed ? ink.sign(mark, colour) : ink.sign('good', 'green');
  const left = ink.room - widthOf(`${sign}  ${took}`);
  const after = ink.text(took, 'faint');
  if (!failed) return [`${sign} ${ink.text(squeeze(harmless(title), left))} ${after}`];
  const [name, how] = share(left - 1, harmless(title), harmless(endingWords(op, exit)), SHORTEST);
  const line = `${sign} ${ink.text(name, 'bold')} ${ink.text(how, colour)} ${after}`;
  return [line, ...help(op).flatMap((each) => more(ink, each))];
}

/** A line below another; what it goes on with stands further in. */
function more(ink: Ink, text: string): string[] {
  const before = ink.sign('more');
  const lines = wrap(harmless(text), ink.room - widthOf(before) - 3);
  return lines.map((line, index) => `${before} ${index === 0 ? '' : '  '}${line}`);
}

function skipping(ink: Ink, { title, isCall, steps: count, reason }: Skipped): string {
  const sign = ink.sign('skip', 'faint');
  const between = isCall ? ` (${steps(count)}): ` : ': ';
  const [name, why] = share(ink.room - widthOf(`${sign} ${between}`), harmless(title), harmless(reason));
  return `${sign} ${ink.text(`${name}${between}${why}`, 'faint')}`;
}

/** What ran, what was skipped and why, what failed and where it stands, what took longest. */
function summary(ink: Ink, prepared: Prepared, course: Course, { success, interrupted }: Outcome): string[] {
  const { ran, skipped, unreached } = course;
  const done = ran.filter(({ op }) => op.kind === 'run');
  const ending = interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const counts = [
    `${steps(done.length)} ran`,
    ...(skipped.length === 0 ? [] : [`${skipped.reduce((sum, each) => sum + each.steps, 0)} skipped`]),
    ...(unreached === 0 ? [] : [`${unreached} not reached`]),
    duration(course.ms),
  ].join(', ');
  const sign = success ? ink.sign('good', 'green') : ink.sign('bad', 'red');
  const how = success ? 'succeeded' : ink.text(ending, 'red');
  const name = squeeze(harmless(short(prepared.plan.workflow)), ink.room - widthOf(`${sign}  ${how}`));
  const title = `${sign} ${ink.text(name, 'bold')} ${how}`;
  const line = `${title}: ${counts}`;
  return [
    ...(widthOf(line) <= ink.room ? [line] : [title, `${ink.sign('more')} ${counts}`]),
    ...ran.filter((each) => each.failed && !each.allowed).flatMap((each) => failure(ink, prepared, each)),
    ...ran.filter((each) => each.allowed).flatMap((each) => failure(ink, prepared, each)),
    ...skipped.slice(0, MOST_SKIPPED).flatMap(({ title: step, reason }) => {
      return rows(ink, 'skipped', [share(beside(ink) - 2, harmless(step), harmless(reason)).join(': ')]);
    }),
    ...(skipped.length > MOST_SKIPPED ? rows(ink, '', [`and ${skipped.length - MOST_SKIPPED} more`]) : []),
    ...(done.length < 2 ? [] : slowest(ink, done)),
  ];
}

/** Lines of text beside a label. */
function rows(ink: Ink, label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${ink.sign('more')} ${(index === 0 ? label : '').padEnd(8)} ${ink.text(line)}`);
}

/** The columns that each of these has. */
function beside(ink: Ink): number {
  return ink.room - widthOf(rows(ink, '', ['']).join(''));
}

/** Nothing of this is cut: somebody will want to go to that place. */
function failure(ink: Ink, prepared: Prepared, { op, exit, title, allowed }: Ran): string[] {
  const how = exit.kind === 'not started' ? 'could not be started' : failureWords(exit);
  const text = `${title}: ${how.replace(/^failed with /, '')}, ${placeOf(prepared, op)}`;
  return rows(ink, allowed ? 'allowed' : 'failed', wrap(harmless(text), beside(ink)));
}

function slowest(ink: Ink, done: readonly Ran[]): string[] {
  const slow = done.toSorted((one, other) => other.ms - one.ms).slice(0, MOST_SLOW);
  const each = slow.map(({ title, ms }) => {
    const took = ` ${duration(ms)}`;
    return `${squeeze(harmless(title), beside(ink) - took.length)}${took}`;
  });
  const line = each.join(', ');
  return rows(ink, 'slowest', widthOf(line) <= beside(ink) ? [line] : each);
}
