import type { Input } from '../frontend/ast.ts';
import { at, plainName, runParams, type HookOp, type Op, type Plan } from './plan.ts';

/** The text in place of a secret. */
export const MASK = '***';

/** The words that make a name secret, in upper or lower case: anywhere, before `KEY` or `_KEY`, or as a whole part. */
export const SECRET_WORDS = {
  anywhere: words('TOKEN SECRET PASSWORD PASSWD PASSPHRASE PASSCODE CREDENTIAL COOKIE BEARER AUTHORIZATION'),
  beforeKey: words('PRIVATE API SSL TLS ACCESS SIGNING ENCRYPTION SSH DEPLOY MASTER LICENSE LICENCE'),
  /** `PAT` in `GITHUB_PAT`, not in `PATH`. */
  wholePart: words('PASS PAT AUTH JWT CREDS'),
};

/** The last words of names that describe a secret without containing it: its location or identity. */
export const PUBLIC_ENDS = words('PATH FILE ID KID VERSION NAME');

function words(text: string): readonly string[] {
  return text.split(' ');
}

type Patterns = Readonly<{ secret: RegExp; secretButForKeys: RegExp; publicEnd: RegExp }>;

let compiled: Patterns | undefined;

/** Compiled on use, because most commands check no name. */
function patterns(): Patterns {
  if (compiled !== undefined) return compiled;
  const { anywhere, beforeKey, wholePart } = SECRET_WORDS;
  const key = `(?:${beforeKey.join('|')})[_-]?KEY`;
  // `PWD` alone, as `OLDPWD`, is a directory.
  const other = `${anywhere.join('|')}|(?<![A-Z0-9])(?:${wholePart.join('|')})(?![A-Z0-9])|(?<=_)PWD(?![A-Z0-9])`;
  const publicEnd = new RegExp(`_(?:${PUBLIC_ENDS.join('|')})$`, 'i');
  compiled = { secret: new RegExp(`${key}|${other}`, 'i'), secretButForKeys: new RegExp(other, 'i'), publicEnd };
  return compiled;
}

/** Whether a variable name marks its value as secret. The address of a key is public. */
export function isSecret(name: string): boolean {
  const { secret, secretButForKeys, publicEnd } = patterns();
  if (!secret.test(name) || publicEnd.test(name)) return false;
  return !/_URL$/i.test(name) || secretButForKeys.test(name);
}

/** Whether the values of an input are secret: its default, its options, and what sets it. */
export function isSecretInput({ name, secret }: Pick<Input, 'name' | 'secret'>): boolean {
  return secret || isSecret(name);
}

/** Whether any name in a text is secret. */
export function mentionsSecret(text: string): boolean {
  if (!patterns().secret.test(text)) return false;
  for (const [name] of text.matchAll(/[\w-]+/g)) if (isSecret(name)) return true;
  return false;
}

/** Whether a variable is secret. */
export type Secrecy = (name: string) => boolean;

/**
 * Whether a variable of a plan is secret: because of its name, as a declared secret or a secret input of any workflow, or
 * because its value refers to a secret variable.
 */
export function secretNames({ frames, secrets = [] }: Pick<Plan, 'frames' | 'secrets'>): Secrecy {
  const declared = new Set(secrets.map(({ name }) => name));
  for (const { inputs = [] } of frames) for (const { name, secret } of inputs) if (secret) declared.add(name);
  addReferring(frames, declared);
  return declared.size === 0 ? isSecret : (name) => declared.has(name) || isSecret(name);
}

/** The names of the declared secrets of a plan. */
export function listedSecrets({ secrets = [] }: Pick<Plan, 'secrets'>): readonly string[] {
  return [...new Set(secrets.map(({ name }) => name))];
}

/** The names of the secrets that a command lists. */
export function secretsOf({ secrets: all = [] }: Plan, { secrets = [] }: Pick<HookOp, 'secrets'>): readonly string[] {
  return secrets.map((index) => at(all, index).name);
}

/** Adds the variables whose values refer to secret ones, directly or indirectly. */
function addReferring(frames: Plan['frames'], secret: Set<string>): void {
  const referring = new Map<string, string[]>();
  for (const { vars } of frames) {
    for (const [variable, , , lookups = []] of vars) {
      for (const { name } of lookups) referring.set(name, [...(referring.get(name) ?? []), variable]);
    }
  }
  const found = new Set([...referring.keys()].filter((name) => secret.has(name) || isSecret(name)));
  // A loop over a set also visits elements that are added during the loop.
  for (const name of found) {
    for (const variable of referring.get(name) ?? []) {
      secret.add(variable);
      found.add(variable);
    }
  }
}

/** A value for display. Every value of a variable is shown through this function or as `MASK`. */
export function maskValue(isSecretName: Secrecy, name: string, value: string): string {
  return isSecretName(name) ? MASK : value;
}

/**
 * Whether an output of a step is secret: because of its name, or because a variable with a secret name refers to it
 * anywhere in the plan.
 */
export function secretOutputs(plan: Plan): (op: Op, output: string) => boolean {
  const { frames, ops } = plan;
  const isSecretName = secretNames(plan);
  const found = new Map<Op | undefined, Set<string>>();
  for (const { vars } of frames) {
    for (const [name, , reads = []] of vars) {
      if (reads.length === 0 || !isSecretName(name)) continue;
      for (const { from, output } of reads) {
        const op = from === null ? undefined : ops[from];
        found.set(op, (found.get(op) ?? new Set()).add(output));
      }
    }
  }
  return (op, output) => isSecretName(output) || found.get(op)?.has(output) === true;
}

/** The parameters with secrets masked. Without a prototype, so that `__proto__` is an ordinary name. */
export function maskedParams(plan: Plan): Record<string, string> {
  const isSecret = secretNames(plan);
  const masked: Record<string, string> = Object.create(null);
  for (const [name, value] of runParams(plan)) masked[name] = maskValue(isSecret, plainName(name), value);
  return masked;
}
