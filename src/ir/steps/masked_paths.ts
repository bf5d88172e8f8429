import { isCommand } from '../ops.ts';
import type { Op, PathPattern, StaleTest } from '../plan.ts';
import type { Secrecy } from '../secret_names.ts';

/** The directory of an op of a linked plan; as it is written if it refers to a secret. `written` is that op before. */
export function maskedDirectory(op: Op, written: Op | undefined, isSecret: Secrecy): string | null {
  if (!isCommand(op)) return null;
  const before = written === undefined || !isCommand(written) ? undefined : written;
  const hides = (before?.dirLookup?.lookups ?? []).some(({ name }) => isSecret(name));
  return (hides ? before?.dir : op.dir) ?? null;
}

/** The patterns of a check of a linked plan, each as it is written if it refers to a secret. */
export function maskedPatterns(
  test: StaleTest,
  written: Op | undefined,
  isSecret: Secrecy,
): Readonly<Record<'sources' | 'generates', readonly string[]>> {
  const own = written?.kind === 'condition' && written.test.kind === 'stale' ? written.test : test;
  const texts = (patterns: readonly PathPattern[], from: readonly PathPattern[]): readonly string[] =>
    patterns.map(({ text }, index) => {
      const { lookups = [], text: plain = text } = from[index] ?? {};
      return lookups.some(({ name }) => isSecret(name)) ? plain : text;
    });
  return { sources: texts(test.sources, own.sources), generates: texts(test.generates, own.generates) };
}
