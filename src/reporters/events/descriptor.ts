import { readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { trySystemCall } from '../../backend/system/try_system_call.ts';

const NOT_OPEN = 'it is not open for writing';

/**
 * The reason why events cannot be written to a descriptor; undefined if they can. A descriptor that the caller has not
 * opened may be one that the runtime uses.
 */
export function descriptorProblem(descriptor: number): string | undefined {
  const probed = trySystemCall(() => writeSync(descriptor, ''));
  if (typeof probed === 'string' || isOwnPipe(descriptor)) return NOT_OPEN;
  return undefined;
}

/** Whether a descriptor is an end of a pipe whose other end is also in this process. Known only on Linux. */
function isOwnPipe(descriptor: number): boolean {
  if (process.platform !== 'linux') return false;
  const link = linkOf(String(descriptor));
  if (link?.startsWith('pipe:') !== true) return false;
  const all = trySystemCall(() => readdirSync('/proc/self/fd'));
  return typeof all !== 'string' && all.some((name) => Number(name) > 2 && linkOf(name) === link && isForReading(name));
}

function linkOf(name: string): string | undefined {
  const link = trySystemCall(() => ({ target: readlinkSync(`/proc/self/fd/${name}`) }));
  return typeof link === 'string' ? undefined : link.target;
}

/** Whether a descriptor is read-only, according to the access mode in its flags, an octal number. */
function isForReading(name: string): boolean {
  const info = trySystemCall(() => ({ text: readFileSync(`/proc/self/fdinfo/${name}`, 'utf8') }));
  return typeof info !== 'string' && /^flags:\s*[0-7]*[04]$/m.test(info.text);
}
