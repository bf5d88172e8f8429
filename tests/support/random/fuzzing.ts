import type * as fc from 'fast-check';

const { FUZZ_SECONDS, FUZZ_SEED } = process.env;

/**
 * How a property is tried: some times with the same seed each time, so that a test of today is that of tomorrow. With
 * FUZZ_SECONDS it is tried for so long instead, with a seed of its own unless FUZZ_SEED repeats one.
 */
export function fuzzing(numRuns: number): fc.Parameters<unknown> {
  if (FUZZ_SECONDS === undefined) return { numRuns, seed: Number(FUZZ_SEED ?? 1), includeErrorInReport: true };
  const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000_007);
  const interruptAfterTimeLimit = Number(FUZZ_SECONDS) * 1000;
  return { numRuns: Number.MAX_SAFE_INTEGER, seed, interruptAfterTimeLimit, includeErrorInReport: true };
}

/** The numbers of the cases of a test without properties: as many as given, or for FUZZ_SECONDS. */
export function* caseNumbers(count: number): Generator<number> {
  const end = performance.now() + Number(FUZZ_SECONDS) * 1000;
  for (let index = 0; FUZZ_SECONDS === undefined ? index < count : performance.now() < end; index += 1) yield index;
}
