import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli, folder } from '../support/cli.ts';
import { toolInProcess, type Returned } from '../support/in_process.ts';
import { mutate } from '../support/random/mutate.ts';
import { random, SEED } from '../support/random/random.ts';
import { fileText, randomFile } from '../support/random/random_file.ts';

const IN_PROCESS = 1000;
const PROCESSES = 50;

/** A wrong file, or by chance still a right one, and a command that only looks at it. */
function makeCase(seed: number): { readonly input: Buffer; readonly words: readonly string[] } {
  const source = random(seed);
  const file = randomFile(source);
  let input: Buffer = Buffer.from(fileText(file, source));
  for (let left = 1 + source.below(3); left > 0; left -= 1) input = mutate(input, source);
  const name = file.workflows[0]?.name ?? '';
  const run = ['workflow', 'run', '--dry-run', '--file', '-', 'A:1'];
  const words = source.pick([
    ['workflow', 'validate', '--file', '-'],
    ['workflow', 'list', '--all', '--pretty', '--file', '-'],
    [...run, '--', name],
    [...run, '--debug', '--pretty', '--', name],
  ]);
  return { input, words };
}

/** What every command promises, whatever the file. */
function checkPromises({ code, stdout, stderr }: Returned): void {
  assert.ok([0, 1, 2].includes(code), `exit code ${code}: ${stderr}`);
  assert.doesNotMatch(stderr, /^ {4}at |this is a bug/m);
  if (code === 2) assert.equal(stdout, '');
  else assert.doesNotThrow(() => JSON.parse(stdout), `the document: ${stdout}`);
  if (code !== 0) assert.notEqual(stderr, '');
  const document: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  const saysInvalid =
    typeof document === 'object' && document !== null && 'valid' in document && document.valid === false;
  assert.equal(saysInvalid, code === 1);
}

/** Says how to repeat what fails. */
async function repeatable(seed: number, input: Buffer, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    const again = `FUZZ_SEED=${seed} repeats it as the first; the file is:\n${JSON.stringify(input.toString())}`;
    throw new Error(again, { cause: error });
  }
}

test(`mutated files end in a document or in errors, each in a second (FUZZ_SEED=${SEED})`, async (t) => {
  const tool = toolInProcess(t);
  for (let seed = SEED; seed < SEED + IN_PROCESS; seed += 1) {
    const { input, words } = makeCase(seed);
    await repeatable(seed, input, async () => {
      const before = process.cpuUsage();
      checkPromises(await tool(words, { input }));
      const { user, system } = process.cpuUsage(before);
      assert.ok(user + system < 1e6, `it took ${user + system} µs`);
    });
  }
});

test(`mutated files end so in the real process too (FUZZ_SEED=${SEED})`, async (t) => {
  const cwd = folder(t);
  for (let seed = SEED; seed < SEED + PROCESSES; seed += 1) {
    const { input, words } = makeCase(seed);
    await repeatable(seed, input, async () => {
      const { code, signal, ...rest } = await cli(words, { cwd, input });
      assert.equal(signal, null);
      checkPromises({ code: code ?? -1, ...rest });
    });
  }
});
