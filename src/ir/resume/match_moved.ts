import { grouped } from '../../base/keys.ts';
import { at, type Plan } from '../plan.ts';
import { fingerprintKey, isNamed, mayBeIn, ownSegment, withoutPositions } from '../steps/identity.ts';
import type { Fingerprint, OpId } from '../steps/identity.ts';
import type { RecordedStep } from './history.ts';

/**
 * The steps that have moved to another place in the plan. `moved`: the only record that matches an op. `candidates`: a
 * record that an op may match. `undecided`: records that several ops may match, or none of them. `gone`: records without
 * any match, also if something runs that has their name or command.
 */
export type MovedSteps = Readonly<{
  moved: ReadonlyMap<number, RecordedStep>;
  candidates: ReadonlyMap<number, RecordedStep>;
  undecided: readonly RecordedStep[];
  gone: readonly RecordedStep[];
}>;

/** The ids and prints of a plan's ops, and the records that match some of them. */
type Matched = Readonly<{
  ids: ReadonlyMap<number, OpId>;
  prints: ReadonlyMap<number, Fingerprint>;
  steps: ReadonlyMap<number, RecordedStep>;
}>;

/** A command of the plan. `similar` is its own segment without the positions of secret values. */
type Command = Readonly<{
  op: number;
  segment: string;
  similar: string;
  print: string;
  command: string;
  workflow: string;
}>;

/**
 * Matches records of finished steps, and of steps whose end is unknown, to ops without a record anywhere in the plan. A
 * record matches the op with the same own segment and print if there is one of each. Otherwise, all ops that resemble it
 * are candidates: those with the same segment and print, or else those with the same print, the same segment and
 * command, or the same name in the same workflow.
 */
export function matchMoved(plan: Plan, known: Matched, unmatched: readonly RecordedStep[]): MovedSteps {
  const moved = new Map<number, RecordedStep>();
  const candidates = new Map<number, RecordedStep>();
  const records = unmatched.filter(({ progress }) => MOVABLE.has(progress.kind));
  if (records.length === 0) return { moved, candidates, undecided: [], gone: [] };
  const commands = commandsOf(plan, known);
  const free = commands.filter(({ op }) => !known.steps.has(op));
  const exact = grouped(free, exactKey);
  const alone: RecordedStep[] = [];
  for (const [key, equal] of grouped(records, exactKeyOf)) {
    const twins = exact.get(key) ?? [];
    if (twins.length === 0) alone.push(...equal);
    const found = twins.length === 1 && equal.length === 1 ? moved : candidates;
    for (const { op } of twins) found.set(op, at(equal, 0));
  }
  const candidatesOf = createCandidates(
    plan,
    free.filter(({ op }) => !moved.has(op)),
  );
  for (const record of alone)
    for (const op of candidatesOf(record)) if (!candidates.has(op)) candidates.set(op, record);
  const segments = new Set(commands.map(({ similar }) => similar));
  const prints = new Set(commands.map(({ print }) => print));
  const lost = records.filter(
    ({ id, print }) => !segments.has(similarSegment(id, print)) && !prints.has(fingerprintKey(print)),
  );
  const settled = new Set([...moved.values(), ...lost]);
  const undecided = records.filter((record) => !settled.has(record));
  // What runs without being a candidate, although a record has its name or its command.
  const others = free.filter(({ op }) => !moved.has(op) && !candidates.has(op));
  const [names, texts] = [new Set(others.map(({ similar }) => similar)), new Set(others.map(({ command }) => command))];
  const placed = new Set(candidates.values());
  const isLike = ({ id, print }: RecordedStep): boolean =>
    names.has(similarSegment(id, print)) || texts.has(print.command);
  const gone = [...lost, ...undecided.filter((record) => !placed.has(record) && isLike(record))];
  return { moved, candidates, undecided, gone };
}

/**
 * Finds records that were matched to an edited command, although a command without a record is the same as before: the
 * recorded step has moved there. Otherwise it would be taken for edited, and run again in its new place.
 */
export function findTwins({ ids, prints, steps }: Matched): ReadonlySet<RecordedStep> {
  const edited = new Map<string, RecordedStep[]>();
  for (const [op, record] of steps) {
    const [id, print] = [ids.get(op), prints.get(op)];
    if (id === undefined || print === undefined || !MOVABLE.has(record.progress.kind)) continue;
    const key = exactKeyOf(record);
    if (key !== exactKeyOf({ id, print })) edited.set(key, [...(edited.get(key) ?? []), record]);
  }
  const twins = new Set<RecordedStep>();
  if (edited.size === 0) return twins;
  for (const [op, id] of ids) {
    const print = prints.get(op);
    if (print === undefined || steps.has(op)) continue;
    for (const record of edited.get(exactKeyOf({ id, print })) ?? []) twins.add(record);
  }
  return twins;
}

/** The progress of steps that must not run again because they have moved. */
const MOVABLE: ReadonlySet<string> = new Set(['finished', 'unknown']);

function commandsOf(plan: Plan, { ids, prints }: Matched): readonly Command[] {
  return plan.ops.flatMap((op, index) => {
    const [id, print] = [ids.get(index), prints.get(index)];
    if (op.kind !== 'run' || id === undefined || print === undefined) return [];
    const { workflow } = at(plan.calls, op.call);
    const [segment, similar] = [ownSegment(id), similarSegment(id, print)];
    return { op: index, segment, similar, print: fingerprintKey(print), command: print.command, workflow };
  });
}

function similarSegment(id: OpId, print: Fingerprint): string {
  return withoutPositions(ownSegment(id), print);
}

function exactKey({ segment, print }: Command): string {
  return JSON.stringify([segment, print]);
}

function exactKeyOf({ id, print }: Pick<RecordedStep, 'id' | 'print'>): string {
  return JSON.stringify([ownSegment(id), fingerprintKey(print)]);
}

/**
 * The ops that resemble a record without an equal op. Ops are listed once for all records with the same print or
 * command.
 */
function createCandidates(
  { workflow: requested }: Plan,
  commands: readonly Command[],
): (record: RecordedStep) => readonly number[] {
  const byPrint = grouped(commands, ({ print }) => print);
  const byCommand = grouped(commands, ({ similar, command }) => JSON.stringify([similar, command]));
  const byName = grouped(
    commands.filter(({ segment }) => isNamed(segment)),
    ({ similar }) => similar,
  );
  return ({ id, print }) => {
    const similar = similarSegment(id, print);
    const commandKey = JSON.stringify([similar, print.command]);
    const printKey = fingerprintKey(print);
    const [samePrint = [], sameCommand = []] = [byPrint.get(printKey), byCommand.get(commandKey)];
    byPrint.delete(printKey);
    byCommand.delete(commandKey);
    const sameName = byName.get(similar) ?? [];
    const inSameWorkflow = sameName.filter(({ workflow }) => mayBeIn(workflow, id, requested));
    return [...samePrint, ...sameCommand, ...inSameWorkflow].map(({ op }) => op);
  };
}
