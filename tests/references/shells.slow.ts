import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { random, SEED, type Random } from '../support/random/random.ts';
import { longValue, randomValue } from '../support/random/random_value.ts';
import { runRecording, SHELLS, type Recorder } from '../support/processes/recording_shell.ts';
import { positions, rewrite, withReferences, type Position } from '../support/references/step_reference.ts';

const acceptedPositions = positions('accepted');

/** Words with a reference, and the resulting arguments. */
const WORDS = [
  ['§', '§'],
  ['"§"', '§'],
  ["'§'", '§'],
  ['a§', 'a§'],
  ['--b=§', '--b=§'],
  ['"c § c"', 'c § c'],
  ['${NO:-§}', '§'],
  ['"${NO:-§}"', '§'],
  ['"$(keep §)"', '§.'],
] as const;

/** The number of values, one of which is long: a program accepts it as an argument only once. */
const LOTS = 40;

/** Values that are valid in a position. */
function valuesFor({ tags }: Position, source: Random, count: number): string[] {
  if (tags.includes('command')) return ['record'];
  const values = Array.from({ length: count }, () => randomValue(source));
  if (!tags.includes('file'))
    return count === LOTS && !tags.includes('short') ? [...values, longValue(source)] : values;
  // Each value names a different file.
  return values.map((value, index) => `${value.replaceAll('/', '').slice(0, 50)}${index}`);
}

/** A script that runs a command once for each value, and the environment with these values. */
function withEach(
  command: string,
  values: readonly string[],
): { readonly script: string; readonly env: Record<string, string> } {
  const runs = values.map((_, index) => `V=$V${index}\n${command}\n`);
  return { script: runs.join(''), env: Object.fromEntries(values.map((value, index) => [`V${index}`, value])) };
}

function recordedOf({ sections }: Position, values: readonly string[]): string[] {
  const expected = v.parse(v.array(v.string()), JSON.parse(sections.get('records') ?? ''));
  return values.flatMap((value) => expected.map((text) => text.replaceAll('§', () => value)));
}

/** A readable form of a text in a failure: the whole text, or its beginning and its hash. */
function brief(text: string): string {
  if (text.length < 1000) return text;
  return `${text.slice(0, 100)}… ${createHash('sha256').update(text).digest('hex')}`;
}

function check(t: TestContext, shell: string, position: Position, values: readonly string[], recorder: Recorder): void {
  const { rewritten } = rewrite(position.command);
  const { script, env } = withEach(rewritten, values);
  const { recorded, stderr } = runRecording(t, shell, script, env, recorder);
  const repeat = `FUZZ_SEED=${SEED} repeats it: ${shell}: ${rewritten}`;
  assert.deepEqual([recorded.map(brief), stderr], [recordedOf(position, values).map(brief), ''], repeat);
}

for (const shell of SHELLS) {
  const known = acceptedPositions.filter(({ tags }) => shell === 'bash' || !tags.includes('bash'));
  for (const [index, position] of known.entries()) {
    test(`${shell} passes on any value ${position.where} (FUZZ_SEED=${SEED})`, (t) => {
      const source = random(SEED + index);
      check(t, shell, position, valuesFor(position, source, LOTS), 'shell');
      check(t, shell, position, valuesFor(position, source, 2), 'program');
    });
  }

  test(`a program receives hundreds of values from ${shell} unchanged (FUZZ_SEED=${SEED})`, (t) => {
    const source = random(SEED);
    const values = Array.from({ length: 400 }, () => randomValue(source));
    const chosen = values.map(() => source.pick(WORDS));
    const args = chosen.map(([word], index) => rewrite(withReferences(word), () => `V${index}`).rewritten);
    const program = "require('fs').writeSync(3, JSON.stringify(process.argv.slice(1)) + '\\0')";
    const env = { ...withEach('', values).env, NODE: process.execPath, PROGRAM: program };
    const { recorded } = runRecording(t, shell, `"$NODE" -e "$PROGRAM" -- ${args.join(' ')}\n`, env);
    const expected = values.map((value, index) => chosen[index]?.[1].replace('§', () => value));
    assert.deepEqual(
      recorded.map((text): unknown => JSON.parse(text)),
      [expected],
    );
  });
}
