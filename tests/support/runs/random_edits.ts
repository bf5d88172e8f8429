import type { Random } from '../random/random.ts';

/** A step of a random file. The arrays are edited in place. `values` is a matrix of the variable `V`. */
type Step =
  | { readonly kind: 'command'; name: string | null; run: string; values: string[]; readonly condition: string | null }
  | {
      readonly kind: 'group';
      name: string | null;
      readonly value: string | null;
      readonly condition: string | null;
      readonly members: Step[];
    }
  | {
      readonly kind: 'call';
      name: string | null;
      readonly value: string | null;
      values: string[];
      readonly condition: string | null;
      readonly workflow: string;
    };

/** The steps of the workflows of a file. `ci` is requested, and calls others. */
export type EditedFile = Map<string, Step[]>;

const COMMANDS = ['build', 'test', 'push', 'use $V', 'tag $V', 'clean', 'publish', 'notify'];

/** How many steps have a condition or a matrix. */
export type Extras = Readonly<{ conditions: number; matrices: number }>;

/** A file with groups and calls. Some commands stand in several places, and some mention the variable `V`. */
export function randomSteps(random: Random, extras: Extras = { conditions: 0, matrices: 0 }): EditedFile {
  const condition = (): string | null => (isRandom(random, extras.conditions) ? random.pick(['yes', 'no']) : null);
  const values = (): string[] => (isRandom(random, extras.matrices) ? ['1', '2', '3'].slice(random.below(3)) : []);
  const steps = (depth: number, calls: readonly string[]): Step[] =>
    Array.from({ length: 1 + random.below(4) }, () => {
      if (depth < 2 && random.chance(0.3)) {
        const [name, given] = [parentName(random), value(random)];
        return { kind: 'group', name, value: given, condition: condition(), members: steps(depth + 1, calls) };
      }
      if (calls.length > 0 && random.chance(0.35)) {
        const [name, given, workflow] = [parentName(random), value(random), random.pick(calls)];
        const copies = given === null ? values() : [];
        return { kind: 'call', name, value: given, values: copies, condition: condition(), workflow };
      }
      return { ...randomCommand(random), values: values(), condition: condition() };
    });
  return new Map([
    ['ci', steps(0, ['v', 'w'])],
    ['v', steps(0, ['w'])],
    ['w', steps(0, [])],
  ]);
}

/** Draws nothing for a probability of 0, so that files without extras stay the same. */
function isRandom(random: Random, probability: number): boolean {
  return probability > 0 && random.chance(probability);
}

function randomCommand(random: Random): Step & { kind: 'command' } {
  const run = random.pick(COMMANDS);
  return {
    kind: 'command',
    name: random.chance(0.5) ? random.pick([run, 'a', 'b']) : null,
    run,
    values: [],
    condition: null,
  };
}

function parentName(random: Random): string | null {
  return random.chance(0.4) ? random.pick(['p', 'q']) : null;
}

function value(random: Random): string | null {
  return random.chance(0.2) ? random.pick(['1', '2']) : null;
}

/** An edit of a file in place. */
type Edit = (file: EditedFile, random: Random) => void;

/** Edits that move steps, and neither change a command nor remove one. A new command may be in the place of one. */
export const MOVES: readonly Edit[] = [
  function wrap(file, random) {
    const list = random.pick(listsOf(file));
    const [start, count] = slice(list, random);
    const members = list.slice(start, start + count);
    list.splice(start, count, { kind: 'group', name: parentName(random), value: null, condition: null, members });
  },
  function wrapAndReplace(file, random) {
    const list = random.pick(listsOf(file));
    const [start] = slice(list, random);
    const members = list.slice(start, start + 1);
    const group: Step = { kind: 'group', name: null, value: null, condition: null, members };
    list.splice(start, 1, { kind: 'command', name: null, run: 'fresh', values: [], condition: null }, group);
  },
  function unwrap(file, random) {
    const list = random.pick(listsOf(file));
    const index = list.findIndex(({ kind }) => kind === 'group');
    const group = list[index];
    if (group?.kind === 'group') list.splice(index, 1, ...group.members);
  },
  function extract(file, random) {
    const list = random.pick(listsOf(file));
    const [start, count] = slice(list, random);
    const workflow = `x${file.size}`;
    file.set(workflow, list.slice(start, start + count));
    const [name, given] = [parentName(random), value(random)];
    list.splice(start, count, { kind: 'call', name, value: given, values: [], condition: null, workflow });
  },
  function inline(file, random) {
    const list = random.pick(listsOf(file));
    const index = list.findIndex(({ kind }) => kind === 'call');
    const call = list[index];
    if (call?.kind === 'call') list.splice(index, 1, ...structuredClone(file.get(call.workflow) ?? []));
  },
  function renameParent(file, random) {
    const parents = listsOf(file).flatMap((list) => list.filter((step) => step.kind !== 'command'));
    if (parents.length > 0) random.pick(parents).name = parentName(random);
  },
  function reorder(file, random) {
    const list = random.pick(listsOf(file));
    const places = [...list.keys()].filter((index) => {
      const step = list[index];
      return step?.kind === 'group' && step.name === null;
    });
    const groups = places.flatMap((index) => list[index] ?? []).toReversed();
    for (const [order, index] of places.entries()) list.splice(index, 1, ...groups.slice(order, order + 1));
  },
];

/** Changes a command in its place. */
export function changeCommand(file: EditedFile, random: Random): void {
  const commands = listsOf(file).flatMap((list) => list.filter((step) => step.kind === 'command'));
  if (commands.length > 0) random.pick(commands).run = random.pick(COMMANDS);
}

/** Other edits. */
export const CHANGES: readonly Edit[] = [
  function rename(file, random) {
    random.pick(random.pick(listsOf(file))).name = random.pick(['a', 'b', 'c', null]);
  },
  function shift(file, random) {
    const list = random.pick(listsOf(file));
    list.splice(random.below(list.length), 0, ...list.splice(random.below(list.length), 1));
  },
  function carry(file, random) {
    const [from, to] = [random.pick(listsOf(file)), random.pick(listsOf(file))];
    const index = from.findIndex(({ kind }) => kind === 'command');
    if (index >= 0 && from.length > 1) to.splice(random.below(to.length), 0, ...from.splice(index, 1));
  },
  function insert(file, random) {
    const list = random.pick(listsOf(file));
    list.splice(random.below(list.length + 1), 0, randomCommand(random));
  },
  function remove(file, random) {
    const list = random.pick(listsOf(file));
    if (list.length > 1) list.splice(random.below(list.length), 1);
  },
  changeCommand,
  function recount(file, random) {
    const steps = listsOf(file).flatMap((list) =>
      list.filter((step) => step.kind !== 'group' && step.values.length > 0),
    );
    const step = steps.length > 0 ? random.pick(steps) : undefined;
    if (step !== undefined && step.kind !== 'group') step.values = random.pick([['1', '2'], ['3', '1'], ['2']]);
  },
];

/** The file after one to three edits. */
export function randomlyEdited(file: EditedFile, random: Random, edits = MOVES): EditedFile {
  const copy = structuredClone(file);
  for (let count = 1 + random.below(3); count > 0; count -= 1) random.pick(edits)(copy, random);
  return copy;
}

function listsOf(file: EditedFile): readonly Step[][] {
  const lists = [...file.values()];
  for (const list of lists) for (const step of list) if (step.kind === 'group') lists.push(step.members);
  return lists;
}

function slice(list: readonly Step[], random: Random): readonly [start: number, count: number] {
  const start = random.below(list.length);
  return [start, 1 + random.below(list.length - start)];
}

/** How the commands and conditions of a file, and the hooks of a workflow, are written. */
export type Written = Readonly<{
  command: (run: string) => object;
  condition: (answer: string) => string;
  hooks: (workflow: string) => object;
}>;

const AS_NAMED: Written = { command: (run) => ({ run }), condition: (answer) => answer, hooks: () => ({}) };

/** The file as an object of the file format. */
export function writtenSteps(file: EditedFile, written = AS_NAMED): object {
  const workflows = [...file].map(([name, steps]) => [
    name,
    { ...written.hooks(name), steps: steps.map((step) => writtenStep(step, written)) },
  ]);
  return { workflows: Object.fromEntries(workflows) };
}

function writtenStep(step: Step, written: Written): object {
  const { name, condition } = step;
  const fields = { ...(name !== null && { name }), ...(condition !== null && { if: written.condition(condition) }) };
  const copies = step.kind !== 'group' && step.values.length > 0 ? { matrix: { V: step.values } } : {};
  if (step.kind === 'command') return { ...fields, ...copies, ...written.command(step.run) };
  const given = { ...fields, ...copies, ...(step.value !== null && { with: { V: step.value } }) };
  return step.kind === 'call'
    ? { ...given, workflow: step.workflow }
    : { ...given, parallel: step.members.map((member) => writtenStep(member, written)) };
}

/** A step of the plan of `ci`, as a run reaches it. `isOff`: a condition around it does not hold. */
export type Instance = Readonly<{ command: string; value: string; isOff: boolean }>;

/** The steps of the plan of `ci`, in its order. */
export function instancesOf(file: EditedFile): readonly Instance[] {
  const walk = (steps: readonly Step[], value: string, isAroundOff: boolean): readonly Instance[] =>
    steps.flatMap((step) => {
      const isOff = isAroundOff || step.condition === 'no';
      const own = step.kind === 'command' ? value : (step.value ?? value);
      const copies = step.kind !== 'group' && step.values.length > 0 ? step.values : [own];
      if (step.kind === 'command') return copies.map((each) => ({ command: step.run, value: each, isOff }));
      const inner = step.kind === 'call' ? (file.get(step.workflow) ?? []) : step.members;
      return copies.flatMap((each) => walk(inner, each, isOff));
    });
  return walk(file.get('ci') ?? [], '', false);
}
