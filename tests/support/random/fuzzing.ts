import type * as fc from 'fast-check';

const { FUZZ_SECONDS, FUZZ_SEED } = process.env;

/**
 * The parameters of a property test: a number of runs with a fixed seed, so that a test is repeatable. With FUZZ_SECONDS
 * it runs for this time instead, with a random seed unless FUZZ_SEED is set.
 */
export function fuzzing(numRuns: number): fc.Parameters<unknown> {
  if (FUZZ_SECONDS === undefined) return { numRuns, seed: Number(FUZZ_SEED ?? 1), includeErrorInReport: true };
  const seed = Number(FUZZ_SEED ?? Date.now() % 1_000_000_007);
  const interruptAfterTimeLimit = Number(FUZZ_SECONDS) * 1000;
  return { numRuns: Number.MAX_SAFE_INTEGER, seed, interruptAfterTimeLimit, includeErrorInReport: true };
}

/** The numbers of the cases of a test without properties: a given count, or as many as fit into FUZZ_SECONDS. */
export function* caseNumbers(count: number): Generator<number> {
  const end = performance.now() + Number(FUZZ_SECONDS) * 1000;
  for (let index = 0; FUZZ_SECONDS === undefined ? index < count : performance.now() < end; index += 1) yield index;
}
