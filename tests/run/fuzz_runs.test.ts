import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerYes } from '../../src/backend/confirmations.ts';
import { execute } from '../../src/backend/execute.ts';
import type { Exit } from '../../src/backend/command_runner.ts';
import { runResult } from '../../src/cli/commands/run/run_result.ts';
import { readWorkflow } from '../../src/cli/driver/include/read_workflow.ts';
import { message } from '../../src/frontend/diagnostics/diagnostic_message.ts';
import { compile } from '../../src/ir/compile.ts';
import { link } from '../../src/ir/link.ts';
import type { Output } from '../../src/frontend/schema/option_fields.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { dryRunDocument, type DryRunMember } from '../../src/ir/views/dry_run_document.ts';
import { branching } from '../support/random/branching.ts';
import { plannedHooks, plannedSteps } from '../support/random/model/dry_run_model.ts';
import type { Planned, PlannedEntry, PlannedMember } from '../support/random/model/dry_run_model.ts';
import { Model } from '../support/random/model/model.ts';
import type { Expected, Fate } from '../support/random/model/prediction.ts';
import { caseNumbers } from '../support/random/fuzzing.ts';
import { shown } from '../support/random/model/model_texts.ts';
import { random, SEED, type Random } from '../support/random/random.ts';
import { variables } from '../support/random/random_fields.ts';
import { randomFile } from '../support/random/random_file.ts';
import { nameIn, type RandomFile, type Variables } from '../support/random/random_file_types.ts';
import { fileTexts, ROOT_FILE } from '../support/random/random_file_text.ts';

const CASES = 250;

/** A random file, its plan, linked and as written, and the model of it. */
interface Case {
  readonly file: RandomFile;
  readonly params: Variables;
  readonly text: string;
  readonly plan: Plan;
  readonly written: Plan;
  readonly model: Model;
  readonly workflow: number;
  readonly base: Variables;
  readonly random: Random;
}

async function makeCase(seed: number): Promise<Case | undefined> {
  const source = random(seed);
  const file = randomFile(source, { references: source.chance(0.7), includes: true, background: true });
  const files = fileTexts(file, source);
  const text = Object.values(files).join('\n');
  const workflow = source.below(file.workflows.length);
  const params = variables(source).map(([name, value]) => [name, value] as const);
  const base = variables(source);
  // The process environment overrides dotenv files.
  const dotenv = new Map(file.dotenv.map((path) => [path, variables(source)]));
  const parsed = await readWorkflow(Buffer.from(files[ROOT_FILE] ?? ''), ROOT_FILE, {
    read: (path) => ({ ok: true, value: Buffer.from(files[path] ?? '') }),
    realPath: (path) => path,
  });
  const problems = parsed.errors.items.map((error) => message(error, parsed.lines));
  if (parsed.kind !== 'valid') throw new Error(`this random file must be valid:\n${problems[0]}\n${text}`);
  const compiled = compile(parsed.file, nameIn(file, workflow), params, null);
  const model = new Model(file, [...dotenv.values(), base].flat(), params);
  if (compiled.kind !== 'plan' && compiled.kind !== 'unresolved')
    throw new Error('a random file must not be too large');
  const unresolved = compiled.kind === 'unresolved' ? compiled.unresolved.map(({ reference }) => reference) : [];
  assert.deepEqual(new Set(unresolved), model.run(workflow, () => WELL).unresolved, text);
  if (compiled.kind === 'unresolved') return undefined;
  assert.deepEqual(JSON.parse(JSON.stringify(compiled.plan)), compiled.plan);
  const linked = link(compiled.plan, { inherited: Object.fromEntries(base), dotenv });
  assert.deepEqual(linked.problems, []);
  return { file, params, text, plan: linked.plan, written: compiled.plan, model, workflow, base, random: source };
}

/** The result of a command that succeeds. */
const WELL: Fate = { code: 0, valueOf: (output) => `of ${output}` };

/** Checks random files, which take longer to make than to check. An error contains the seed that repeats it. */
async function each(...checks: readonly ((made: Case) => void | Promise<void>)[]): Promise<void> {
  let [tried, checked] = [0, 0];
  for (const index of caseNumbers(CASES)) {
    tried += 1;
    const made = await makeCase(SEED + index);
    if (made === undefined) continue;
    checked += 1;
    try {
      for (const check of checks) await check(made);
    } catch (error) {
      const again = `FUZZ_SEED=${SEED + index} repeats it as the first; the files are:\n${made.text}`;
      throw new Error(again, { cause: error });
    }
  }
  assert.ok(checked > tried / 2, `only ${checked} of ${tried} files have resolved references`);
}

/** Runs a plan on a port that starts no process and records the requests. */
async function record(
  { plan, base }: Case,
  fateOf: (command: string) => Fate,
): Promise<{ commands: Expected[]; steps: unknown; success: boolean; unresolved: Set<string> }> {
  const commands: Expected[] = [];
  const port = branching({
    interruption: undefined,
    ready: () => Promise.resolve(),
    wait: (milliseconds) => {
      commands.push({ wait: milliseconds });
      return Promise.resolve();
    },
    run: ({
      command,
      number: _number,
      environment,
      outputs,
      background: _background,
      onCancel: _cancel,
      ...request
    }) => {
      commands.push({ command, variables: new Map(environment), ...request });
      return Promise.resolve(exitOf(fateOf(command), outputs, request.timeout !== null));
    },
  });
  const settings = { base: new Map(base), strict: false, observe: () => undefined };
  const outcome = await execute(plan, port, { ...settings, confirm: answerYes });
  const { steps, success } = runResult(plan, outcome);
  // As in a document, without absent fields, and without the combinations of copies, which the model does not know.
  const documents = JSON.stringify([...steps]).replaceAll(/"copy":"(?:[^"\\]|\\.)*",/g, '');
  const text = documents.replaceAll(/"error":"(?!nothing")(?:[^"\\]|\\.)*"/g, '"error":"not started"');
  return { commands, steps: JSON.parse(text), success, unresolved: new Set() };
}

/** The exit of a command with a result. A command with a time limit may have reached it. */
function exitOf({ code, valueOf }: Fate, outputs: readonly Output[], isLimited: boolean): Exit {
  if (isLimited && code === 124) return { kind: 'timed out', limit: 1 };
  if (outputs.length === 0 || code !== 0) return { kind: 'exited', code };
  if (valueOf === undefined) return { kind: 'exited', code, outputs: { ok: false, problems: ['nothing'] } };
  return { kind: 'exited', code, outputs: { ok: true, values: outputs.map(([name]) => [name, valueOf(name)]) } };
}

/**
 * Random results, the same ones at each call. A command has one for each attempt, but only one if other commands may
 * run at the same time.
 */
function fates({ random: source, file: { isOrdered } }: Case): () => (command: string) => Fate {
  const decided = new Map<string, readonly Fate[]>();
  const decide = (command: string): Fate => {
    // Conditions fail half of the time, and commands seldom, so that runs reach later steps.
    const fails = source.chance(/^check |^false$/.test(command) ? 0.5 : 0.12);
    const code = command !== 'true' && fails ? source.pick([1 + source.below(255), 124]) : 0;
    const attempt = decided.get(command)?.length ?? 0;
    const valueOf = (output: string): string => `${output} "of"\n${attempt} $A \${steps.giver.X}`;
    return { code, valueOf: source.chance(0.95) ? valueOf : undefined };
  };
  return () => {
    const counts = new Map<string, number>();
    return (command) => {
      const count = isOrdered ? (counts.get(command) ?? 0) : 0;
      counts.set(command, count + 1);
      const known = decided.get(command) ?? [];
      const fate = known[count] ?? decide(command);
      if (known[count] === undefined) decided.set(command, [...known, fate]);
      return fate;
    };
  };
}

/** Commands in a defined order, if members of groups run at the same time. */
function comparable(commands: readonly Expected[], { isOrdered }: RandomFile): readonly Expected[] {
  if (isOrdered) return commands;
  const keys = new Map(commands.map((each) => [each, JSON.stringify(each, withEntries)]));
  return commands.toSorted((one, other) => ((keys.get(one) ?? '') < (keys.get(other) ?? '') ? -1 : 1));
}

function withEntries(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value].map(([name, text]) => `${name}=${text}`).toSorted() : value;
}

async function runsAsPredicted(made: Case): Promise<void> {
  const again = fates(made);
  const expected = made.model.run(made.workflow, again());
  const actual = await record(made, again());
  assert.deepEqual(
    { ...actual, commands: comparable(actual.commands, made.file) },
    { ...expected, commands: comparable(expected.commands, made.file) },
  );
}

/** The commands of an entry of a dry run, with those of its members. */
function commandsOf(entry: DryRunMember | PlannedEntry | PlannedMember): readonly string[] {
  if ('stop' in entry) return [];
  if ('parallel' in entry) return entry.parallel.flatMap(commandsOf);
  return 'steps' in entry ? entry.steps.flatMap(commandsOf) : [entry.command];
}

async function runsCommandsOfDryRun(made: Case): Promise<void> {
  const shown = [...dryRunDocument(made.written).steps].flatMap(commandsOf);
  const planned = plannedSteps(made.file, made.params, made.workflow).flatMap(commandsOf);
  assert.deepEqual(shown, planned);
  const { steps } = made.model.run(made.workflow, () => WELL);
  assert.deepEqual((await record(made, () => WELL)).steps, steps);
}

/** Keyed data as maps, because a plain object with a member `__proto__` is hard to compare. */
function shownEntry(entry: DryRunMember): unknown {
  if ('stop' in entry) return entry;
  if ('parallel' in entry) return { ...plainFields(entry), parallel: entry.parallel.map(shownEntry) };
  if ('steps' in entry) return { ...plainFields(entry), steps: entry.steps.map(shownEntry) };
  const { env, if: guards, ...step } = entry;
  return {
    ...plainFields(step),
    ...(guards === undefined ? {} : { if: guards }),
    ...(env === undefined ? {} : { env: new Map(Object.entries(env)) }),
  };
}

/** An object as in the document, without absent fields. */
function plainFields(entry: object): object {
  return JSON.parse(JSON.stringify(entry));
}

/** An entry of the model in the form of the dry run's document. */
function documented(entry: PlannedEntry | PlannedMember): unknown {
  if ('stop' in entry) return entry;
  if ('steps' in entry) return { ...entry, steps: entry.steps.map(documented) };
  if (!('parallel' in entry)) return documentedStep(entry);
  const { parallel, fail_fast, ...others } = entry;
  const fields = { ...others, fail_fast: fail_fast === true ? true : undefined };
  return { ...plainFields(fields), parallel: parallel.map(documented) };
}

/** A step of the model in the form of the dry run's document. */
function documentedStep({ name, command, if: guards, env, ...how }: Planned): unknown {
  const [only] = guards;
  const settings = [...env].map(([key, value]) => [key, shown(key, value)] as const);
  const { dir, outputs = [], retry, timeout, allow_failure: isAllowed, confirm, sources, generates, background } = how;
  return {
    name,
    command,
    ...(only === undefined ? {} : { if: guards.length === 1 ? only : guards }),
    ...(settings.length === 0 ? {} : { env: new Map(settings) }),
    ...(dir === undefined ? {} : { dir }),
    ...(outputs.length === 0 ? {} : { outputs: Object.fromEntries(outputs) }),
    ...(retry === undefined ? {} : { retry: { ...retry, delay: retry.delay.shown } }),
    ...(timeout === undefined ? {} : { timeout: timeout.shown }),
    ...(isAllowed === true ? { allow_failure: true } : {}),
    ...(confirm === undefined ? {} : { confirm }),
    ...(sources === undefined ? {} : { sources }),
    ...(generates === undefined ? {} : { generates }),
    ...(background === undefined ? {} : { background: true, ready: { output: 'ready' } }),
    ...(background === 'grouped' ? { output: background } : {}),
  };
}

function isShownByDryRun(made: Case): void {
  const { workflow, dry_run, steps, hooks, ...others } = dryRunDocument(made.written);
  assert.deepEqual([workflow, dry_run], [made.plan.workflow, true]);
  const shown = [...steps].map(shownEntry);
  assert.deepEqual(shown, plannedSteps(made.file, made.params, made.workflow).map(documented));
  const expected = plannedHooks(made.file, made.workflow);
  const withoutPaths = hooks?.map(({ hook, workflow: owner, command }) => ({ hook, workflow: owner, command }));
  assert.deepEqual(JSON.parse(JSON.stringify({ ...others, hooks: withoutPaths })), expected);
}

test(`random files run as the model predicts and as their dry run shows (FUZZ_SEED=${SEED})`, () =>
  each(isShownByDryRun, runsAsPredicted, runsCommandsOfDryRun));
