import type { RunEvent } from '../../../backend/run_event.ts';
import { isMarkerName } from '../../../backend/process/base_environment.ts';
import { truncateMiddle, widthOf } from '../../output/text_width.ts';
import { escapeText, createStyler, type Styler, type Style, type Service } from '../../output/style.ts';
import { printStderr, writeStderr, type Io } from '../../output/io.ts';
import type { ReportedRun, Reporter } from '../reporter_type.ts';
import { TerminalTitle } from './terminal_title.ts';
import { declined, ending, failureLines, heading, readiness, refusal, skipping, waiting } from './progress_lines.ts';
import { summary } from './summary.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { Change } from '../op_results.ts';
import { debugLines, isShownQuietly } from '../verbosity.ts';
import { escapeData } from '../../output/annotation.ts';

/**
 * Reports a run with progress, times and a summary, in lines no wider than the terminal. Step output does not pass
 * through the reporter, which writes its lines in between. `--debug` adds the variable names of each op and its exit
 * code. `--quiet` leaves only failures.
 */
export function terminalReporter(io: Io, style: Style, run: ReportedRun, options: Options): Reporter {
  const { prepared, results, titles } = run;
  const styler = createStyler(style);
  const debug = options.debug ? debugLines(prepared.plan) : undefined;
  const hasTitle = !options.quiet && style.columns !== undefined && style.signs && io.env['TERM'] !== 'dumb';
  const terminalTitle = hasTitle ? TerminalTitle.of(io.stderr, !io.env['CLI_NO_PROGRESS']) : undefined;
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
  const showChange = ({ event, entry }: Change): void => {
    if (event.kind === 'ended') terminalTitle?.end(event.op);
    if (entry?.kind === 'ended') show(block(ending(styler, run, entry, debug !== undefined)));
    else if (entry?.kind === 'skip') show(block([skipping(styler, run, entry)]));
    else showEvent(event);
  };
  const showEvent = (event: RunEvent): void => {
    switch (event.kind) {
      case 'started': {
        if (event.op.kind === 'condition') return;
        const { op, index } = event;
        terminalTitle?.start(op, escapeText(titles.ofOp(op)), () => run.usual()?.ofStep(index));
        const title = heading(styler, run, op, index);
        return show(running > 0 ? groupLine(styler, title) : groups.open(title), isGroupOpen || running === 0);
      }
      case 'group started': {
        const members = results.runningMembers(event.op);
        if (members > 0) show(groups.open(groupHeading(styler, titles.ofOp(event.op), members)), true);
        running += 1;
        return;
      }
      case 'group ended':
        running -= 1;
        return running === 0 ? show('', false) : undefined;
      case 'member output':
        return show(groupLine(styler, escapeText(titles.ofBranch(event.branch))));
      case 'ready':
        return show(block([readiness(styler, run, event)]));
      case 'waiting':
        return writeStderr(io, [block(waiting(styler, run, event))]);
      case 'refused':
        return show(block(refusal(styler, run, event)));
      case 'declined':
        return show(block(declined(styler, run, event)));
      // Their entries show what has ended or is skipped.
      case 'ended':
      case 'skipped':
      case 'held':
      case 'kept':
      case 'left out':
      case 'not ready':
        return;
    }
  };
  return {
    begin: (id) =>
      id !== null && style.columns !== undefined && !options.quiet && show(block([styler.text(`run ${id}`, 'faint')])),
    onEvent: (change) => {
      const more = debug?.(change) ?? [];
      // The variables of an op are shown below its heading, its exit code above its result.
      if (change.event.kind !== 'started') printStderr(io, more);
      if (!options.quiet || isShownQuietly(change)) showChange(change);
      if (change.event.kind === 'started') printStderr(io, more);
    },
    onEnd: (outcome) => {
      terminalTitle?.close();
      const { interrupted } = outcome;
      if (!options.quiet) show(block(['', ...summary(styler, run, outcome)]), false);
      else if (interrupted !== undefined) show(block(failureLines(styler, `interrupted by ${interrupted}`)));
    },
  };
}

function block(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The heading of a group of steps: its name and the number of its members that run. */
function groupHeading(styler: Styler, name: string, members: number): string {
  const count = ` ${styler.sign('dot')} ${members} in parallel`;
  const title = truncateMiddle(escapeText(name), styler.columns - widthOf(`${styler.sign('begin')} ${count}`));
  return `${styler.text(title, 'bold')}${count}`;
}

/** A heading inside of a group of steps, which no CI service folds. */
function groupLine(styler: Styler, text: string): string {
  return `${styler.sign('begin')} ${text}\n`;
}

/** The text before and after the output of a step. The heading must be escaped. */
type Groups = Readonly<{ open: (heading: string) => string; close: () => string }>;

/**
 * Folding groups in the syntax of a CI service; without a service, a heading line that begins with `sign`. A group is
 * closed on a line of its own, because the last line of a step may lack its line break.
 */
function createGroups(service: Service | undefined, sign: string): Groups {
  switch (service) {
    case undefined:
      return { open: (heading) => `${sign}${heading}\n`, close: () => '' };
    case 'github':
      // https://docs.github.com/actions/reference/workflow-commands-for-github-actions
      return { open: (heading) => `::group::${escapeData(heading)}\n`, close: () => '\n::endgroup::\n' };
    case 'gitlab':
      return sections();
  }
}

/** https://docs.gitlab.com/ci/jobs/job_logs/#custom-collapsible-sections */
function sections(): Groups {
  let count = 0;
  const marker = (kind: 'start' | 'end'): string => {
    const time = Math.floor(Date.now() / 1000);
    return `\x1b[0Ksection_${kind}:${time}:cli_${process.pid}_${count}\r\x1b[0K`;
  };
  return {
    open: (heading) => {
      count += 1;
      return `${marker('start')}${heading}\n`;
    },
    close: () => `\n${marker('end')}\n`,
  };
}
