import { secretNames } from '../secret_names.ts';
import { at, type Plan } from '../plan.ts';

/**
 * A 64-bit digest of a text, as 16 hexadecimal digits: two lanes of multiply and xor over its UTF-16 units, each
 * finished as in MurmurHash3 and mixed with the other (after cyrb53, public domain).
 *
 * A collision of two texts has a probability of 2^-64. The digest is not cryptographic and need not be: the texts and
 * the digests belong to one user. Loading `node:crypto` would cost milliseconds at every start.
 */
export function digest(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return hexadecimal(high) + hexadecimal(low);
}

function hexadecimal(lane: number): string {
  return (lane >>> 0).toString(16).padStart(8, '0');
}

/** A variable with the digest of its value as written. */
export type VariableDigest = readonly [name: string, digest: string];

/** Returns a function for the digests of the variables that a frame sets itself. Secret variables are left out. */
export function createFrameDigests(plan: Plan): (frame: number) => readonly VariableDigest[] {
  const isSecretName = secretNames(plan);
  return (frame) =>
    at(plan.frames, frame).vars.flatMap(([name, value]) =>
      isSecretName(name) ? [] : [[name, digest(value)] as const],
    );
}
