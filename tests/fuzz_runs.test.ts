import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '../src/backend/execute.ts';
import type { CommandPort } from '../src/backend/port.ts';
import { runResult } from '../src/commands/run_result.ts';
import { parseWorkflowFile } from '../src/frontend/parse.ts';
import { compile } from '../src/ir/compile.ts';
import type { Plan } from '../src/ir/plan.ts';
import { preview, type PreviewStep } from '../src/ir/preview.ts';
import { Model, type Expected, type Planned } from './support/model.ts';
import { random, SEED, type Random } from './support/random.ts';
import { fileText, randomFile, variables, type Variables } from './support/random_file.ts';

const CASES = 400;

/** A random file, its plan, and the model of it. */
interface Case {
  readonly text: string;
  readonly plan: Plan;
  readonly model: Model;
  readonly workflow: number;
  readonly base: Variables;
  readonly random: Random;
}

function makeCase(seed: number): Case {
  const source = random(seed);
  const file = randomFile(source);
  const text = fileText(file, source);
  const workflow = source.below(file.workflows.length);
  const params = variables(source).map(([name, value]) => [name, value] as const);
  const base = variables(source);
  const parsed = parseWorkflowFile(Buffer.from(text), undefined);
  assert.equal(parsed.kind, 'valid', text);
  if (parsed.kind !== 'valid') throw new Error('asserted above');
  const compiled = compile(parsed.file, file.workflows[workflow]?.name ?? '', params);
  if (compiled.kind !== 'plan') throw new Error('a random file is never too large');
  const model = new Model(file, base, params);
  return { text, plan: compiled.plan, model, workflow, base, random: source };
}

/** Goes through random files; what fails says how to repeat it. */
async function each(check: (made: Case) => void | Promise<void>): Promise<void> {
  for (let index = 0; index < CASES; index += 1) {
    const made = makeCase(SEED + index);
    try {
      await check(made);
    } catch (error) {
      const again = `FUZZ_SEED=${SEED + index} repeats it as the first; the file is:\n${made.text}`;
      throw new Error(again, { cause: error });
    }
  }
}

/** Runs a plan on a port that starts nothing and notes what it was asked for. */
async function record(
  { plan, base }: Case,
  exitOf: (command: string) => number,
): Promise<{ commands: Expected[]; steps: unknown; success: boolean }> {
  const commands: Expected[] = [];
  const port: CommandPort = {
    interruption: undefined,
    wait: () => Promise.reject(new Error('nothing is tried again')),
    run: ({ command, environment, input }) => {
      commands.push({ command, variables: new Map(environment), input });
      return Promise.resolve({ kind: 'exited', code: exitOf(command) });
    },
  };
  const outcome = await execute(plan, port, new Map(base), () => undefined);
  const { steps, success } = runResult(plan, outcome);
  // As a document has them, without fields that are not there.
  return { commands, steps: JSON.parse(JSON.stringify([...steps])), success };
}

test(`random files run as the rules say (FUZZ_SEED=${SEED})`, async () => {
  await each(async (made) => {
    const codes = new Map<string, number>();
    const exitOf = (command: string): number => {
      const known = codes.get(command);
      if (known !== undefined) return known;
      // Conditions fail half of the time; commands seldom, or no run would come far.
      const fails = made.random.chance(/^test |^false$/.test(command) ? 0.5 : 0.08);
      const code = command !== 'true' && fails ? 1 + made.random.below(255) : 0;
      codes.set(command, code);
      return code;
    };
    const expected = made.model.run(made.workflow, exitOf);
    assert.deepEqual(await record(made, exitOf), expected);
  });
});

test(`with every command ending well, random files run what the dry run shows (FUZZ_SEED=${SEED})`, async () => {
  await each(async (made) => {
    const shown = [...preview(made.plan).steps].map(({ command }) => command);
    const planned = made.model.plan(made.workflow);
    assert.deepEqual(
      shown,
      planned.map(({ command }) => command),
    );
    const { commands } = await record(made, () => 0);
    const ran = commands.filter(({ input }) => input === 'inherit').map(({ command }) => command);
    assert.deepEqual(
      ran.filter((command) => shown.includes(command)),
      made.model.run(made.workflow, () => 0).steps.map(({ command }) => command),
    );
  });
});

/** Keyed data as maps: a plain object with a member `__proto__` is hard to compare. */
function shownStep({ env, if: guards, ...step }: PreviewStep): unknown {
  return {
    // As the document has it, without fields that are not there.
    ...JSON.parse(JSON.stringify(step)),
    ...(guards === undefined ? {} : { if: guards }),
    ...(env === undefined ? {} : { env: new Map(Object.entries(env)) }),
  };
}

/** A step of the model as the dry run's document has it. */
function documented({ name, command, if: guards, env }: Planned): unknown {
  const [only] = guards;
  const shown = [...env].map(([key, value]) => [key, key === 'MY_TOKEN' ? '***' : value] as const);
  return {
    name,
    command,
    ...(only === undefined ? {} : { if: guards.length === 1 ? only : guards }),
    ...(shown.length === 0 ? {} : { env: new Map(shown) }),
  };
}

test(`the dry run of random files shows names, conditions and variables (FUZZ_SEED=${SEED})`, async () => {
  await each((made) => {
    const { workflow, dry_run, steps, ...hooks } = preview(made.plan);
    assert.deepEqual([workflow, dry_run], [made.plan.workflow, true]);
    const shown = [...steps].map((step) => shownStep(step));
    assert.deepEqual(shown, made.model.plan(made.workflow).map(documented));
    const expected = made.model.hooks();
    assert.deepEqual(JSON.parse(JSON.stringify(hooks)), expected);
  });
});
