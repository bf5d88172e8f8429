import type { Outcome } from '../backend/execute.ts';
import { isMarkerName } from '../backend/base_environment.ts';
import { write } from '../backend/write.ts';
import { Course, type Begun, type Ran, type Skipped, type Waiting } from './course.ts';
import { failureWords, placeOf, short, waitingWords, type Help } from './failure.ts';
import { groupsOf } from './groups.ts';
import { duration, inkOf, steps, type Ink } from './ink.ts';
import type { Io } from './io.ts';
import type { Prepared } from './prepare.ts';
import type { Look, Teller } from './teller.ts';

/** At most this many skipped steps are named in the summary, and this many slow ones. */
const MOST_SKIPPED = 5;
const MOST_SLOW = 3;

/**
 * Tells of a run with progress, times and a summary. What steps print goes past it: it only writes lines of its own
 * between them.
 */
export function progress(io: Io, prepared: Prepared, look: Look, help: Help): Teller {
  const course = new Course(prepared.plan);
  const ink = inkOf(look);
  const isInner = Object.keys(io.env).some(isMarkerName);
  // GitHub knows no groups in groups: a run inside a step of another one stays in the group of that.
  const groups = groupsOf(look.service === 'github' && isInner ? undefined : look.service, `${ink.sign('begin')} `);
  let isOpen = false;
  const show = (text: string, opens: boolean): void => {
    write(io.stderr, [isOpen ? groups.close() : '', text]);
    isOpen = opens;
  };
  return {
    tell: (event) => {
      const happening = course.follow(event);
      if (happening?.kind === 'begun') show(groups.open(heading(ink, happening)), true);
      else if (happening?.kind === 'ran') show(block(ending(ink, happening, help)), false);
      else if (happening?.kind === 'waiting') write(io.stderr, [`${waiting(ink, happening)}\n`]);
      else if (happening?.kind === 'skipped') show(`${skipping(ink, happening)}\n`, false);
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
  return `${count} ${ink.text(title, 'bold')} ${ink.sign('dot')} ${ink.text(workflow)}`;
}

function waiting(ink: Ink, { op, title, exit, attempt }: Waiting): string {
  return `${ink.sign('again', 'faint')} ${ink.text(title)} ${ink.text(waitingWords(op, exit, attempt), 'faint')}`;
}

function ending(ink: Ink, { op, title, exit, failed, allowed, attempts, ms }: Ran, help: Help): string[] {
  const tries = attempts === 1 ? '' : ink.text(` after ${attempts} attempts`);
  const took = ink.text(duration(ms), 'faint');
  if (!failed) return [`${ink.sign('good', 'green')} ${ink.text(title)}${tries} ${took}`];
  const how = `${failureWords(op, exit)}${allowed ? ', as it may' : ''}`;
  const [sign, colour] = allowed ? (['skip', 'faint'] as const) : (['bad', 'red'] as const);
  const line = `${ink.sign(sign, colour)} ${ink.text(title, 'bold')} ${ink.text(how, colour)}${tries} ${took}`;
  return [line, ...help(op).map((each) => `${ink.sign('more')} ${ink.text(each)}`)];
}

function skipping(ink: Ink, { title, isCall, steps: count, reason }: Skipped): string {
  const what = isCall ? ` (${steps(count)})` : '';
  return `${ink.sign('skip', 'faint')} ${ink.text(title, 'faint')}${what}: ${ink.text(reason, 'faint')}`;
}

/** What ran, what was skipped and why, what failed and where it stands, what took longest. */
function summary(ink: Ink, prepared: Prepared, course: Course, { success, interrupted }: Outcome): string[] {
  const { ran, skipped, unreached } = course;
  const done = ran.filter(({ op }) => op.kind === 'run');
  const failed = ran.filter((each) => each.failed);
  const allowed = failed.filter((each) => each.allowed);
  const ending = interrupted === undefined ? 'failed' : `was interrupted by ${interrupted}`;
  const counts = [
    `${steps(done.length)} ran`,
    ...(skipped.length === 0 ? [] : [`${skipped.reduce((sum, each) => sum + each.steps, 0)} skipped`]),
    ...(unreached === 0 ? [] : [`${unreached} not reached`]),
  ].join(', ');
  const sign = success ? ink.sign('good', 'green') : ink.sign('bad', 'red');
  const title = `${ink.text(short(prepared.plan.workflow), 'bold')} ${success ? 'succeeded' : ink.text(ending, 'red')}`;
  const slowest = done.toSorted((one, other) => other.ms - one.ms).slice(0, MOST_SLOW);
  return [
    `${sign} ${title}: ${counts}, ${duration(course.ms)}`,
    ...failed
      .filter((each) => !each.allowed)
      .map((each) => row(ink, 'failed', `${ink.text(each.title)}: ${ink.text(failure(prepared, each))}`)),
    ...allowed.map((each) => row(ink, 'allowed', `${ink.text(each.title)}: ${ink.text(failure(prepared, each))}`)),
    ...skipped
      .slice(0, MOST_SKIPPED)
      .map((each) => row(ink, 'skipped', `${ink.text(each.title)}: ${ink.text(each.reason)}`)),
    ...(skipped.length > MOST_SKIPPED ? [row(ink, '', `and ${skipped.length - MOST_SKIPPED} more`)] : []),
    ...(done.length < 2
      ? []
      : [row(ink, 'slowest', slowest.map((each) => `${ink.text(each.title)} ${duration(each.ms)}`).join(', '))]),
  ];
}

function row(ink: Ink, label: string, text: string): string {
  return `${ink.sign('more')} ${label.padEnd(8)} ${text}`;
}

function failure(prepared: Prepared, { op, exit }: Ran): string {
  const how = exit.kind === 'not started' ? 'could not be started' : failureWords(op, exit);
  return `${how.replace(/^failed with /, '')}, ${placeOf(prepared, op)}`;
}
