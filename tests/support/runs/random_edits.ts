import type { Random } from '../random/random.ts';

/** A step of a random file. The arrays are edited in place. */
type Step =
  | { readonly kind: 'command'; readonly name: string | null; readonly run: string }
  | { readonly kind: 'group'; name: string | null; readonly value: string | null; readonly members: Step[] }
  | { readonly kind: 'call'; name: string | null; readonly value: string | null; readonly workflow: string };

/** The steps of the workflows of a file. `ci` is requested, and calls others. */
export type EditedFile = Map<string, Step[]>;

const COMMANDS = ['build', 'test', 'push', 'use $V', 'tag $V', 'clean', 'publish', 'notify'];

/** A file with groups and calls. Some commands stand in several places, and some mention the variable `V`. */
export function randomSteps(random: Random): EditedFile {
  const steps = (depth: number, calls: readonly string[]): Step[] =>
    Array.from({ length: 1 + random.below(4) }, () => {
      if (depth < 2 && random.chance(0.3)) {
        return { kind: 'group', name: parentName(random), value: value(random), members: steps(depth + 1, calls) };
      }
      if (calls.length > 0 && random.chance(0.35)) {
        return { kind: 'call', name: parentName(random), value: value(random), workflow: random.pick(calls) };
      }
      const run = random.pick(COMMANDS);
      return { kind: 'command', name: random.chance(0.5) ? random.pick([run, 'a', 'b']) : null, run };
    });
  return new Map([
    ['ci', steps(0, ['v', 'w'])],
    ['v', steps(0, ['w'])],
    ['w', steps(0, [])],
  ]);
}

function parentName(random: Random): string | null {
  return random.chance(0.4) ? random.pick(['p', 'q']) : null;
}

function value(random: Random): string | null {
  return random.chance(0.2) ? random.pick(['1', '2']) : null;
}

/** An edit that moves steps, and neither changes a command nor removes one. A new command may be in the place of one. */
type Edit = (file: EditedFile, random: Random) => void;

const EDITS: readonly Edit[] = [
  function wrap(file, random) {
    const list = random.pick(listsOf(file));
    const [start, count] = slice(list, random);
    const members = list.slice(start, start + count);
    list.splice(start, count, { kind: 'group', name: parentName(random), value: null, members });
  },
  function wrapAndReplace(file, random) {
    const list = random.pick(listsOf(file));
    const [start] = slice(list, random);
    const group: Step = { kind: 'group', name: null, value: null, members: list.slice(start, start + 1) };
    list.splice(start, 1, { kind: 'command', name: null, run: 'fresh' }, group);
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
    list.splice(start, count, { kind: 'call', name: parentName(random), value: value(random), workflow });
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

/** The file after one to three edits. */
export function randomlyEdited(file: EditedFile, random: Random): EditedFile {
  const copy = structuredClone(file);
  for (let count = 1 + random.below(3); count > 0; count -= 1) random.pick(EDITS)(copy, random);
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

/** The file as an object of the file format. */
export function writtenSteps(file: EditedFile): object {
  return { workflows: Object.fromEntries([...file].map(([name, steps]) => [name, { steps: steps.map(writtenStep) }])) };
}

function writtenStep(step: Step): object {
  const named = step.name === null ? {} : { name: step.name };
  if (step.kind === 'command') return { ...named, run: step.run };
  const fields = { ...named, ...(step.value !== null && { with: { V: step.value } }) };
  return step.kind === 'call'
    ? { ...fields, workflow: step.workflow }
    : { ...fields, parallel: step.members.map(writtenStep) };
}
