/**
 * Stops V8 from enlarging the part of its heap for new objects. A process that makes garbage for long would grow by
 * 20 MiB for it, and the larger a process is, the longer `fork` takes.
 */
export async function limitHeap(): Promise<void> {
  // The standalone executable has another engine.
  if (process.versions['bun'] !== undefined) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
}
