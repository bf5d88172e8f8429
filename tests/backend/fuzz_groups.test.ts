import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { execute } from '../../src/backend/execute.ts';
import type { Exit } from '../../src/backend/command_runner.ts';
import { turn } from '../../src/backend/system/sleep.ts';
import { compiled } from '../support/plans.ts';
import { branching } from '../support/random/branching.ts';
import { fuzzing } from '../support/random/fuzzing.ts';

/** A step of a random workflow: a command that ends after some turns of the event loop, or a group. */
type Shape = Readonly<
  | { kind: 'command'; turns: number; code: number }
  | { kind: 'group'; members: readonly Shape[]; max: number; failFast: boolean }
>;

const command = fc.record({
  kind: fc.constant('command' as const),
  turns: fc.nat(6),
  code: fc.constantFrom(0, 0, 0, 0, 1),
});

function shapes(depth: number): fc.Arbitrary<Shape> {
  if (depth === 0) return command;
  const members = fc.array(shapes(depth - 1), { maxLength: 5 });
  const group = fc.record({
    kind: fc.constant('group' as const),
    members,
    max: fc.integer({ min: 1, max: 4 }),
    failFast: fc.boolean(),
  });
  return fc.oneof(command, group);
}

/** The step of a file; its command is its position, its turns and its code. */
function stepOf(shape: Shape, position: string): object {
  if (shape.kind === 'command') return { run: `${position} ${shape.turns} ${shape.code}` };
  const { members, max, failFast } = shape;
  const parallel = members.map((member, index) => stepOf(member, `${position}.${index + 1}`));
  return { parallel, max_parallel: max, fail_fast: failFast };
}

/** The commands that a step may run, in order, and whether it fails. `isExact`: it runs all of them. */
type Expected = Readonly<{ commands: readonly string[]; failed: boolean; isExact: boolean }>;

function modelOf(shape: Shape, position: string): Expected {
  if (shape.kind === 'command') {
    const { turns, code } = shape;
    return { commands: [`${position} ${turns} ${code}`], failed: code !== 0, isExact: true };
  }
  const all = shape.members.map((member, index) => modelOf(member, `${position}.${index + 1}`));
  const failed = all.some((member) => member.failed);
  const isExact = all.every((member) => member.isExact) && !(shape.failFast && failed);
  return { commands: all.flatMap((member) => member.commands), failed, isExact };
}

/** A group and the maximum number of its direct commands that may run at once. */
function limits(shape: Shape, position: string): (readonly [position: string, max: number])[] {
  if (shape.kind === 'command') return [];
  const inner = shape.members.flatMap((member, index) => limits(member, `${position}.${index + 1}`));
  return [[position, shape.max], ...inner];
}

const parentOf = (position: string): string => position.slice(0, Math.max(0, position.lastIndexOf('.')));

test('random groups run as a small model predicts, within their limits, and hooks run after all branches', async () => {
  const property = fc.asyncProperty(fc.array(shapes(3), { maxLength: 4 }), async (list) => {
    const steps = list.map((shape, index) => stepOf(shape, String(index + 1)));
    const file = { after_all: 'after', error: 'error', finally: 'finally', workflows: { ci: { steps } } };
    const running = new Set<string>();
    const started: string[] = [];
    const overfull: string[] = [];
    const maxima = new Map(list.flatMap((shape, index) => limits(shape, String(index + 1))));
    const runner = branching({
      interruption: undefined,
      ready: () => Promise.resolve(),
      wait: () => Promise.resolve(),
      async run({ command: text }): Promise<Exit> {
        const [position = '', turns = '0', code = '0'] = text.split(' ');
        started.push(text);
        // Steps of the workflow and hooks run alone.
        if (!position.includes('.') && running.size > 0) overfull.push(text);
        running.add(position);
        const beside = [...running].filter((other) => parentOf(other) === parentOf(position)).length;
        if (beside > (maxima.get(parentOf(position)) ?? 1)) overfull.push(text);
        for (let left = Number(turns); left > 0; left -= 1) await turn();
        running.delete(position);
        return { kind: 'exited', code: Number(code) };
      },
    });
    const plan = compiled(JSON.stringify(file), 'ci');
    const settings = { base: new Map(), strict: false, observe: () => undefined };
    const { success, steps: results, hooks } = await execute(plan, runner, settings);

    const models = list.map((shape, index) => modelOf(shape, String(index + 1)));
    const end = models.findIndex(({ failed }) => failed);
    const reached = end === -1 ? models : models.slice(0, end + 1);
    const expected = reached.flatMap(({ commands }) => commands);
    const ran = results.map(({ op }) => op.command);
    assert.deepEqual(overfull, []);
    assert.equal(success, end === -1);
    if (reached.every(({ isExact }) => isExact)) assert.deepEqual(ran, expected);
    else
      assert.deepEqual(
        ran,
        expected.filter((each) => ran.includes(each)),
      );
    const last = success ? ['after', 'finally'] : ['error', 'finally'];
    assert.deepEqual(
      hooks.map(({ op }) => op.command),
      last,
    );
    assert.deepEqual(started.slice(-2), last);
    assert.deepEqual(started.slice(0, -2).toSorted(), ran.toSorted());
  });
  await fc.assert(property, fuzzing(300));
});

test('a thousand branches run, eight at a time', async () => {
  let [running, most, total] = [0, 0, 0];
  const runner = branching({
    interruption: undefined,
    ready: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    async run(): Promise<Exit> {
      running += 1;
      total += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      return { kind: 'exited', code: 0 };
    },
  });
  const parallel = Array.from({ length: 1000 }, (_, index) => `echo ${index}`);
  const file = { workflows: { ci: { steps: [{ parallel, max_parallel: 8 }] } } };
  const plan = compiled(JSON.stringify(file), 'ci');
  const settings = { base: new Map(), strict: false, observe: () => undefined };
  const { success, steps } = await execute(plan, runner, settings);
  assert.deepEqual([success, most, total], [true, 8, 1000]);
  assert.deepEqual(
    steps.map(({ op }) => op.command),
    parallel,
  );
});
