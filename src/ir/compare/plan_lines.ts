import { editScript } from './edit_script.ts';

/**
 * A line that only one of two plan files contains, and its section: `params`, `frames`, `calls`, `ops`. `entry` is the
 * entry line above it, if any.
 */
export type ChangedLine = Readonly<{ change: 'added' | 'removed' }> & Omit<PlanLine, 'key'>;

/** A line of a text form. `key` omits the indexes, which change with other lines. */
type PlanLine = Readonly<{ section: string; entry: string | undefined; line: string; key: string }>;

/** The differing lines of the text forms of two plans. Differences of indexes do not count. */
export function changedLines(before: readonly string[], after: readonly string[]): ChangedLine[] {
  const [old, recent] = [linesOf(before), linesOf(after)];
  const changes = changesBy(old, recent, ({ section, key }) => `${section} ${key}`);
  return changes.length > 0 ? changes : changesBy(old, recent, ({ section, line }) => `${section} ${line}`);
}

function changesBy(
  before: readonly PlanLine[],
  after: readonly PlanLine[],
  keyOf: (line: PlanLine) => string,
): ChangedLine[] {
  return editScript(before, after, keyOf).flatMap(({ kind, item: { section, entry, line } }) =>
    kind === 'same' ? [] : { change: kind, section, entry, line },
  );
}

function linesOf(lines: readonly string[]): PlanLine[] {
  let [section, entry] = ['', ''];
  /** The keys of the calls, by their indexes. */
  const calls = new Map<string, string>();
  return lines.map((text) => {
    const [, title = '', rest = text] = /^(\w+) +(.*)$/.exec(text) ?? [];
    if (title !== '') section = title;
    const line = rest.trim();
    // An entry begins with its index.
    if (title === '' && !/^ +\d/.test(text)) return { section, entry, line, key: keyOf(line) };
    entry = line;
    const [index = ''] = line.split(' ', 1);
    if (section === 'calls') calls.set(index, keyOf(line));
    return { section, entry: undefined, line, key: keyOf(withCall(line, calls)) };
  });
}

/** The line of a workflow's hook with the key of its call in place of the index. Other lines are unchanged. */
function withCall(line: string, calls: ReadonlyMap<string, string>): string {
  return line.replace(
    /^(\d+ hook \w+ of )(\d+)/,
    (_, hook: string, call: string) => `${hook}${calls.get(call) ?? call}`,
  );
}

/** A line without its index, the indexes of other entries and steps, and the padding between columns. */
function keyOf(line: string): string {
  return line
    .replace(/^\d+ (?=\S)/, '')
    .replaceAll(/ {2,}/g, ' ')
    .replace(/ ([@<])\d+(?= |$)/, ' $1')
    .replace(/ (op|else) \d+$/, ' $1')
    .replace(/ step \d[\d.]*(?= |$)/, ' step')
    .replace(/\/step_\d[\d.]*(?= )/, '/step_')
    .replaceAll(/\b\d+\.(?=[A-Za-z_]\w* (?:as|in|or) )/g, '')
    .replaceAll(/ \d+\.\.\d+(?=,|$)/g, '');
}
