import { h, type ComponentChild } from 'preact';
import { isBad, LAST_LINES, type RunDocument } from '../../../../../src/internal.ts';
import { CommandLine } from '../dialogs/command_line.ts';
import { placeOf } from '../text.ts';
import { LastOutput } from './output.ts';

/** The first failure of a run: its reason, the last lines of its output, and the command that continues the run. */
export function Failure({ run, version }: Readonly<{ run: RunDocument; version: number }>): ComponentChild {
  const failed = run.ops.find(isBad);
  if (failed === undefined && run.resume === null) return null;
  const place = failed === undefined ? '' : placeOf(failed);
  return h(
    'section',
    { class: 'failure', 'aria-label': 'What failed' },
    failed !== undefined && h('h2', null, `${failed.path}: ${failed.result}`),
    failed !== undefined && h('pre', { class: 'command' }, failed.command),
    place !== '' && h('p', { class: 'place' }, place),
    failed !== undefined && h(LastOutput, { run, op: failed, version, lines: LAST_LINES }),
    run.resume !== null && h(CommandLine, { title: 'To continue:', command: run.resume }),
  );
}
