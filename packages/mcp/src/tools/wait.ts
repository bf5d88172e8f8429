/** How often the state of a run is looked at, in milliseconds. */
const LOOK = 50;

/** Waits until a condition holds, for a number of seconds at most, or until a request is cancelled. */
export async function waitFor(holds: () => boolean, seconds: number, signal: AbortSignal): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!signal.aborted && Date.now() < end && !holds()) {
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}
