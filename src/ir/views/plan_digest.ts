import { createHash, createHmac, type BinaryLike } from 'node:crypto';
import type { Input } from '../../frontend/ast.ts';
import type { StepOptions } from '../../frontend/schema/option_fields.ts';
import { formatOf } from '../ops.ts';
import type { Frame, Op, OutputRead, Plan, PlanSecret, Test } from '../plan.ts';
import { MASK, maskValue, secretNames, type Secrecy } from '../secret_names.ts';
import { maskedDirectory, maskedPatterns } from '../steps/masked_paths.ts';

/** The version of the form below. A change of it requires the next number, because published digests do not match it. */
const DIGEST_VERSION = 1;

/** A plan as it is linked and as it is written, and the arguments for its commands. */
export type DigestedPlan = Readonly<{ plan: Plan; written: Plan; args: readonly string[] }>;

/**
 * The SHA-256 of everything that a run does, as 64 hexadecimal digits. The values of secrets do not count: a digest is
 * published, and a short value could be guessed from it. Places in files, descriptions and the sources of variables do
 * not count either.
 */
export function planDigest(digested: DigestedPlan): string {
  const hash = createHash('sha256');
  for (const entry of canonicalEntries(digested, secretNames(digested.plan))) hash.update(`${JSON.stringify(entry)}\n`);
  return hash.digest('hex');
}

/**
 * The HMAC of the same, in which the values of secrets count too: without the key, nothing can be guessed from it.
 * `texts` is what was shown with the plan, and counts as well.
 */
export function keyedDigest(key: BinaryLike, digested: DigestedPlan, texts: readonly string[]): string {
  const hash = createHmac('sha256', key);
  for (const entry of canonicalEntries(digested, () => false)) hash.update(`${JSON.stringify(entry)}\n`);
  hash.update(JSON.stringify(texts));
  return hash.digest('hex');
}

/** A value in JSON whose members have a fixed order. */
type Canonical = string | number | boolean | null | readonly Canonical[];

/** The parts of a plan in a fixed order. A new field of a plan fails to compile until it counts or is left out here. */
function* canonicalEntries({ plan, written, args }: DigestedPlan, isSecret: Secrecy): Generator<Canonical> {
  const { workflow, params, frames, calls, ops, secrets = [], files: _files, segments: _calls, ...rest } = plan;
  rest satisfies Record<string, never>;
  const given = params.map(([name, value]) => [name, maskValue(isSecret, name, value)]);
  yield ['plan', DIGEST_VERSION, formatOf(plan), workflow, given, args];
  for (const frame of frames) yield frameEntry(frame, isSecret);
  for (const call of calls) {
    const { workflow: called, from, guard, start, end, frame, inputs = null, lock, ...others } = call;
    others satisfies Record<string, never>;
    const place = [from && [from.call, String(from.step), from.name], guard, start, end, frame, inputs];
    yield ['call', called, ...place, ...(lock === undefined ? [] : [lock.text])];
  }
  for (const [index, op] of ops.entries()) {
    const own = written.ops[index];
    yield opEntry(op, maskedDirectory(op, own, isSecret), (test) => testEntry(test, own, isSecret));
  }
  for (const secret of secrets) yield secretEntry(secret, isSecret);
}

function frameEntry(frame: Frame, isSecret: Secrecy): Canonical {
  const { source: _source, parent, vars, inputs = [], dotenv = [], lookup = null, matrix = false, ...rest } = frame;
  rest satisfies Record<string, never>;
  const values = vars.map(([name, value, reads = [], lookups = []]): Canonical => {
    // The text around a reference to a secret belongs to the value. The names that it refers to are none.
    if (isSecret(name)) return [name, MASK, namesOf(reads), lookups.map((each) => each.name)];
    return [name, value, readsOf(reads)];
  });
  const declared = inputs.map((input) => inputEntry(input, input.secret || isSecret(input.name)));
  const loaded = dotenv.map(({ path, vars: set }): Canonical => [
    path,
    set.map(([name, value]) => [name, maskValue(isSecret, name, value)]),
  ]);
  return ['frame', parent, values, declared, loaded, lookup, matrix];
}

function inputEntry(input: Input, isHidden: boolean): Canonical {
  const { name, description: _description, required, default: preset, type, options, secret, ...rest } = input;
  rest satisfies Record<string, never>;
  const shown = (value: string): string => (isHidden ? MASK : value);
  return [name, required, preset === null ? null : shown(preset), type, options.map(shown), secret];
}

function opEntry(op: Op, dir: Canonical, testOf: (test: Test) => Canonical): Canonical {
  switch (op.kind) {
    case 'hook': {
      const { kind, hook, when, frame, offset: _offset, command, reads, call = null, ...others } = op;
      const { dir: _dir, dirLookup: _lookup, errexit = false, secrets = [], ...rest } = others;
      rest satisfies Record<string, never>;
      return [kind, hook, when, frame, command, readsOf(reads), call, dir, errexit, secrets];
    }
    case 'condition': {
      const { kind, call, step, test, target, frame, offset: _offset, dir: _dir, dirLookup: _lookup, ...rest } = op;
      rest satisfies Record<string, never>;
      return [kind, call, String(step), testOf(test), target, frame, dir];
    }
    case 'run': {
      const { kind, call, step, name, command, reads, frame, options, question, offset: _offset, ...others } = op;
      const { dir: _dir, dirLookup: _lookup, errexit = false, secrets = [], ready, ...rest } = others;
      rest satisfies Record<string, never>;
      const place = [kind, call, String(step), name];
      // The text of the question is among the options.
      const asked = question === undefined ? [] : [readsOf(question.reads)];
      const behind = [...(ready === undefined ? [] : [ready]), ...asked];
      return [...place, command, readsOf(reads), frame, optionsEntry(options), dir, errexit, secrets, ...behind];
    }
    case 'parallel': {
      const { kind, call, step, name, branches, end, frame, group, offset: _offset, ...rest } = op;
      const { maxParallel, failFast, output, ...others } = group;
      ({ ...rest, ...others }) satisfies Record<string, never>;
      const members = branches.map((each) => [each.name, positionOf(each.start), positionOf(each.end)]);
      const place = [kind, call, String(step), name];
      return [...place, members, positionOf(end), frame, maxParallel, failFast, output];
    }
    case 'stop': {
      const { kind, call, ops, frame, offset: _offset, ...rest } = op;
      rest satisfies Record<string, never>;
      return [kind, call, ops, frame];
    }
  }
}

function testEntry(test: Test, written: Op | undefined, isSecret: Secrecy): Canonical {
  switch (test.kind) {
    case 'variable':
      return [test.kind, test.name];
    case 'command':
      return [test.kind, test.command, readsOf(test.reads)];
    case 'stale': {
      const { sources, generates } = maskedPatterns(test, written, isSecret);
      return [test.kind, sources, generates];
    }
    case 'first':
      return [test.kind];
  }
}

function optionsEntry(options: StepOptions): Canonical {
  const { outputs, retry, timeout, allowFailure, onCrash, confirm, onResume, background, ready, ...rest } = options;
  // Later options count under their names, so that plans without them keep their digests.
  const later: Readonly<Record<string, Canonical>> = rest;
  const again = retry && [retry.maxAttempts, retry.delay];
  const resumed = onResume === undefined ? [] : [onResume];
  const test = ready === undefined ? null : [ready.kind, ready.text];
  const behind = background === undefined && test === null ? [] : [background ?? null, test];
  return [outputs, again, timeout, allowFailure, onCrash, confirm, ...resumed, ...behind, ...Object.entries(later)];
}

function secretEntry({ name, source }: PlanSecret, isSecret: Secrecy): Canonical {
  if (source === null) return ['secret', name];
  const { command, value, timeout, lookups = [], ...rest } = source;
  rest satisfies Record<string, never>;
  const hidden = new Set(lookups.filter((lookup) => isSecret(lookup.name)).map(({ argument }) => argument));
  const words = command.map((word, index) => (hidden.has(index) ? MASK : word));
  return ['secret', name, words, value, timeout];
}

/** References to outputs, without their places in the text. */
function readsOf(reads: readonly OutputRead[]): Canonical {
  return reads.map(({ step, from, output, fallback, quotes }) => [step, from, output, fallback, quotes]);
}

/** The same, without texts of the file. */
function namesOf(reads: readonly OutputRead[]): Canonical {
  return reads.map(({ step, from, output }) => [step, from, output]);
}

function positionOf({ op, call }: Readonly<{ op: number; call: number }>): readonly number[] {
  return [op, call];
}
