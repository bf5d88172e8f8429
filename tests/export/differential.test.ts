import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import {
  COMMAND,
  finish,
  IS_STANDALONE,
  temporaryDirectory,
  type CommandOptions,
  type CommandResult,
} from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { inProcess, toolInProcess, type Tool } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { ROOT_FILE } from '../support/random/random_file_text.ts';
import { randomCase, type RandomCase } from '../support/export/random_case.ts';
import { RecordingDirectory, type RecordedCall } from '../support/export/recorded.ts';

const { EXPORT_CASES, FUZZ_SEED } = process.env;
const CASES = Number(EXPORT_CASES ?? 12);
/** The first seed. Each file has the next one. */
const SEED = Number(FUZZ_SEED ?? 1);

/**
 * Of many cases, the runs on Node.js have no process of their own, which takes more time than everything else. With the
 * executable as TESTED_COMMAND, each case then has one script, one such run and one of the executable.
 */
const ARE_MANY = CASES > 100;
const HAVE_PROCESSES = !ARE_MANY || IS_STANDALONE;

/** The outcome of a run or a script. */
interface Done {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly calls: readonly RecordedCall[];
}

const SCRIPT = 'script.sh';

async function exported(
  tool: Tool,
  t: TestContext,
  place: RecordingDirectory,
  { files, workflow }: RandomCase,
): Promise<string | undefined> {
  place.reset(files);
  const args = ['export', '--file', ROOT_FILE, '--', workflow];
  const { code, stdout } = await inProcess(t, args, { cwd: place.work, env: ONLY_PATH }, tool);
  return code === 0 ? stdout : undefined;
}

async function did(
  place: RecordingDirectory,
  made: RandomCase,
  start: (options: CommandOptions) => Promise<CommandResult>,
): Promise<Done & { stderr: string }> {
  // As in every shell: a script exports it to programs that print secrets, too.
  const env = { ...ONLY_PATH, ...made.env, PATH: place.path, SHLVL: '1' };
  const { code, signal, stderr } = await start({ cwd: place.work, env });
  const { calls } = place;
  const shown = made.isOrdered ? calls : sortedCalls(calls);
  return { code, signal, calls: shown, stderr };
}

/** Whether a call is of a program that prints secrets, or of a command that has some. */
function usesSecrets({ call, environment }: RecordedCall): boolean {
  return call.startsWith('provider') || environment.some((entry) => entry.startsWith('S_'));
}

/** Sorts the calls of parallel members, whose order and numbers are arbitrary. */
function sortedCalls(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const plain = calls.map((call) => ({ ...call, call: call.call.replace(/\.\d+$/, '') }));
  return plain.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

/** Compares the script with the run. Returns the calls of both. */
async function compare(
  tool: Tool,
  t: TestContext,
  place: RecordingDirectory,
  made: RandomCase,
): Promise<readonly RecordedCall[]> {
  const script = await exported(tool, t, place, made);
  const reset = (): void => place.reset({ ...made.files, [SCRIPT]: script ?? '' }, made.directories);
  place.prepare(made.answers);
  const args = ['workflow', 'run', '--file', ROOT_FILE, '--quiet', '--', made.workflow, ...made.params];
  const [program, ...first] = COMMAND;
  const runs: (Done & { stderr: string })[] = [];
  if (ARE_MANY) {
    reset();
    runs.push(await did(place, made, (options) => inProcess(t, args, options, tool)));
  }
  if (HAVE_PROCESSES) {
    reset();
    runs.push(await did(place, made, (options) => finish(program, [...first, ...args], options)));
  }
  if (script === undefined) {
    for (const { code, stderr } of runs) assert.equal(code, 2, stderr);
    return [];
  }
  reset();
  const { stderr, ...actual } = await did(place, made, (options) => finish('bash', [SCRIPT, ...made.params], options));
  for (const { stderr: runStderr, ...expected } of runs) {
    assert.deepEqual(actual, expected, `standard error of the run:\n${runStderr}\nof the script:\n${stderr}`);
  }
  return actual.calls;
}

test(
  `${CASES} random files have the same effect as a run and as a script (from FUZZ_SEED=${SEED})`,
  needs('python3'),
  async (t) => {
    const place = new RecordingDirectory(temporaryDirectory(t));
    const tool = toolInProcess(t);
    let [compared, withSecrets] = [0, 0];
    const failures: string[] = [];
    for (let index = 0; index < CASES; index += 1) {
      const made = randomCase(SEED + index);
      try {
        const calls = await compare(tool, t, place, made);
        if (calls.length > 0) compared += 1;
        if (calls.some(usesSecrets)) withSecrets += 1;
      } catch (error) {
        const { workflow, params, files } = made;
        const title = `FUZZ_SEED=${SEED + index} repeats it as the first; workflow ${workflow}, parameters ${JSON.stringify(params)}`;
        failures.push([title, ...Object.values(files), inspect(error)].join('\n'));
      }
    }
    t.diagnostic(`${compared} of ${CASES} files ran commands, ${withSecrets} of them with secrets`);
    assert.equal(failures.join('\n\n'), '');
  },
);
