import { h, type ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TextEnd } from '../../../../../src/internal.ts';
import { fetchLog } from '../connection.ts';
import { parseOutput } from './sgr.ts';

const NOT_STORED = 'The output of this run is not stored. To store it, run with --logs.';

/** The maximum distance from the end at which new lines scroll the output, in pixels. */
const NEAR = 40;

type Shown = Readonly<{ run: string; path: string; log: string; isStored: boolean; version: number; lines?: number }>;

/**
 * The end of a command's output, which follows it, at most the given number of lines. Fetched again with each version of the
 * run.
 */
export function Output({ run, path, log, isStored, version, lines = Infinity }: Shown): ComponentChild {
  const [end, setEnd] = useState<TextEnd | undefined>();
  const element = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (!isStored) return;
    // A lost connection is shown elsewhere; the next version tries again.
    void fetchLog(run, log).then(setEnd, () => undefined);
  }, [run, log, isStored, version]);
  useLayoutEffect(() => {
    const { current } = element;
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight;
  }, [end]);
  const onScroll = (): void => {
    const { current } = element;
    if (current !== null) follows.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR;
  };
  const all = end?.text.split('\n') ?? [];
  // The last line is empty.
  const isCut = end?.cut === true || all.length - 1 > lines;
  const parts = parseOutput(all.slice(-lines - 1).join('\n'));
  return h(
    'pre',
    { role: 'log', 'aria-label': `Output of ${path}`, tabIndex: 0, class: 'output', ref: element, onScroll },
    isStored ? '' : NOT_STORED,
    isCut ? '(only the end is shown)\n' : '',
    parts.map(({ text, classes, color }, index) =>
      classes === '' && color === undefined
        ? text
        : h('span', { key: index, class: classes, style: color === undefined ? {} : { color } }, text),
    ),
  );
}
