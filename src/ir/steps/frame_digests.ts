import { secretNames } from '../secrets.ts';
import { at, type Plan } from '../plan.ts';
import { digest } from './digest.ts';

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
