import assert from 'node:assert/strict';

/** The result of some work, and its CPU time in seconds, user and system, which the load of the machine changes little. */
export async function timed<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ result: Result; seconds: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
}

const STEP = { name: 'step', run: 'echo "some text"', with: { A: [1, true, null] } };
const TEXT = JSON.stringify(Array.from({ length: 100_000 }, () => STEP));

/** The CPU time of `JSON.parse` of 8 MB, which takes about a tenth of a second on an idle machine. */
async function parseSeconds(): Promise<number> {
  const { seconds } = await timed((): unknown => JSON.parse(TEXT));
  return seconds;
}

let slowestParse = 0;

/**
 * Asserts that some work takes at most so many times the CPU time of `JSON.parse` of 8 MB in the same process: on a busy
 * machine, both take longer. Returns the result of the work.
 */
export async function assertCpuTime<Result>(limit: number, work: () => Result | Promise<Result>): Promise<Result> {
  slowestParse ||= await parseSeconds();
  const { result, seconds } = await timed(work);
  if (seconds > limit * slowestParse) slowestParse = Math.max(slowestParse, await parseSeconds());
  assert.ok(seconds <= limit * slowestParse, `${seconds} s, and ${slowestParse} s for the 8 MB`);
  return result;
}
