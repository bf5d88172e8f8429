import { at, type Plan } from '../plan.ts';
import {
  createFingerprints,
  fingerprintKey,
  identify,
  isUnnamedCommand,
  isUnnamedGroup,
  ownSegment,
} from '../steps/identity.ts';
import type { OpId, Fingerprint } from '../steps/identity.ts';
import type { Decision, History, RecordedStep } from './history.ts';
import { findTwins, matchMoved, type MovedSteps } from './match_moved.ts';
import { pairGroups } from './pair_groups.ts';

/** The ids and prints of a plan's ops, and the record that matches each op. */
export type MatchedOps = MovedSteps &
  Readonly<{
    ids: ReadonlyMap<number, OpId>;
    prints: ReadonlyMap<number, Fingerprint>;
    steps: ReadonlyMap<number, RecordedStep>;
    decisions: ReadonlyMap<number, Decision>;
  }>;

/** A step in the tree of calls. Calls have children. */
type Node<Step, Condition> = {
  readonly segment: string;
  readonly children: Map<string, Node<Step, Condition>>;
  step: Step | undefined;
  /** The conditions by the last segment of their ids. */
  readonly conditions: Map<string, Condition>;
};
type OldNode = Node<RecordedStep, Decision>;
type NewNode = Node<number, number>;

/**
 * Matches the records of a run to the ops of a plan. The workflow file may have been edited between the two. Within a
 * call, the first rule that applies decides:
 *
 * 1. the step with the same id; for an unnamed group, the one with the most members in common
 * 2. a renamed step: the only one with the same print; for a call, the only one with the same steps
 * 3. an edited unnamed command: the one after the same step
 *
 * A record whose command has changed is left out if exactly that command, without a record, is elsewhere in the plan.
 * Then steps that have moved to another call or group are matched: see `matchMoved`.
 */
export function matchOps(plan: Plan, history: History): MatchedOps {
  const ids = new Map<number, OpId>();
  const prints = new Map<number, Fingerprint>();
  const fingerprintOf = createFingerprints(plan);
  const recent: NewNode = emptyNode('');
  const segments = new Set<string>();
  for (const entry of identify(plan)) {
    const { kind, index } = entry;
    if (kind === 'call') continue;
    const { path } = entry;
    ids.set(index, path);
    if (kind !== 'run' && kind !== 'condition') continue;
    const op = at(plan.ops, index);
    if (op.kind === 'run' || op.kind === 'condition') prints.set(index, fingerprintOf(op));
    if (kind === 'run') {
      nodeAt(recent, path).step = index;
      segments.add(ownSegment(path));
    } else nodeAt(recent, path.slice(0, -1)).conditions.set(path.at(-1) ?? '', index);
  }
  const old: OldNode = emptyNode('');
  for (const step of history.steps) nodeAt(old, step.id).step = step;
  for (const decision of history.decisions)
    nodeAt(old, decision.id.slice(0, -1)).conditions.set(decision.id.at(-1) ?? '', decision);

  const pairs = pairTrees(old, recent, { prints, segments, moved: new Set() });
  // Only now is it known which commands of the plan have no record.
  const moved = findTwins({ ids, prints, steps: pairs.steps });
  const { steps, decisions, matched } = moved.size === 0 ? pairs : pairTrees(old, recent, { prints, segments, moved });
  const unmatched = history.steps.filter((step) => !matched.has(step));
  const found = matchMoved(plan, { ids, prints, steps }, unmatched);
  for (const [op, record] of found.moved) steps.set(op, record);
  return { ids, prints, steps, decisions, ...found };
}

/** The records of paired nodes, by op index. */
type Pairs = Readonly<{
  steps: Map<number, RecordedStep>;
  decisions: Map<number, Decision>;
  matched: ReadonlySet<RecordedStep>;
}>;

function pairTrees(old: OldNode, recent: NewNode, commands: Commands): Pairs {
  const steps = new Map<number, RecordedStep>();
  const decisions = new Map<number, Decision>();
  const matched = new Set<RecordedStep>();
  const pairs = [[old, recent] as const];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [before, after] = pair;
    if (before.step !== undefined && after.step !== undefined) {
      steps.set(after.step, before.step);
      matched.add(before.step);
    }
    for (const [segment, condition] of after.conditions) {
      const decision = before.conditions.get(segment);
      if (decision !== undefined) decisions.set(condition, decision);
    }
    pairs.push(...pairChildren(before, after, commands));
  }
  return { steps, decisions, matched };
}

function emptyNode<Step, Condition>(segment: string): Node<Step, Condition> {
  return { segment, children: new Map(), step: undefined, conditions: new Map() };
}

/** The node at a path. Creates missing nodes. */
function nodeAt<Step, Condition>(root: Node<Step, Condition>, path: readonly string[]): Node<Step, Condition> {
  let node = root;
  for (const segment of path) {
    const child = node.children.get(segment) ?? emptyNode(segment);
    node.children.set(segment, child);
    node = child;
  }
  return node;
}

type Fingerprints = ReadonlyMap<number, Fingerprint>;

/** The prints of a plan's ops, the own segments of its commands, and the records that rules 1 and 3 leave out. */
type Commands = Readonly<{
  prints: Fingerprints;
  segments: ReadonlySet<string>;
  moved: ReadonlySet<RecordedStep | undefined>;
}>;

function pairChildren(
  before: OldNode,
  after: NewNode,
  { prints, segments, moved }: Commands,
): (readonly [OldNode, NewNode])[] {
  const pairs = new Map<NewNode, OldNode>();
  const taken = new Set<OldNode>();
  const pair = (old: OldNode, recent: NewNode): void => {
    if (pairs.has(recent)) return;
    pairs.set(recent, old);
    taken.add(old);
  };
  const pairBySegment = (isMatch: (old: OldNode) => boolean): void => {
    for (const [segment, recent] of after.children) {
      const old = before.children.get(segment);
      if (old !== undefined && !taken.has(old) && !moved.has(old.step) && isMatch(old)) pair(old, recent);
    }
  };
  pairBySegment(({ segment }) => !isUnnamedGroup(segment));
  if (taken.size < before.children.size) {
    const olds = [...before.children.values()];
    const recents = [...after.children.values()];
    const isFreeOld = (old: OldNode): boolean => !taken.has(old);
    const isFreeNew = (recent: NewNode): boolean => !pairs.has(recent);
    pairGroups(olds.filter(isFreeOld), recents.filter(isFreeNew), pair);
    pairRenamed(olds.filter(isFreeOld), recents.filter(isFreeNew), prints, pair);
    // Groups of which all members were edited.
    pairBySegment(({ children }) => [...children.keys()].every((segment) => !segments.has(ownSegment([segment]))));
    // Rule 3. The preceding step may have been paired by this rule in the previous iteration.
    const followers = new Map<OldNode | undefined, OldNode>();
    for (const [index, old] of olds.entries()) followers.set(olds[index - 1], old);
    for (const [index, recent] of recents.entries()) {
      const previous = recents[index - 1];
      const before = previous === undefined ? undefined : pairs.get(previous);
      if (previous !== undefined && before === undefined) continue;
      const old = followers.get(before);
      if (old === undefined || !isFreeOld(old) || !isFreeNew(recent) || moved.has(old.step)) continue;
      if (isUnnamedCommand(old.segment) && isUnnamedCommand(recent.segment)) pair(old, recent);
    }
  }
  return [...pairs].map(([recent, old]) => [old, recent] as const);
}

/** Rule 2: pairs nodes that match one node only, on either side. */
function pairRenamed(
  olds: readonly OldNode[],
  recents: readonly NewNode[],
  prints: Fingerprints,
  pair: (old: OldNode, recent: NewNode) => void,
): void {
  const groups = new Map<string, { olds: OldNode[]; recents: NewNode[] }>();
  const groupOf = (kind: string, print: Fingerprint | undefined): { olds: OldNode[]; recents: NewNode[] } => {
    const key = `${kind} ${keyOf(print)}`;
    const group = groups.get(key) ?? { olds: [], recents: [] };
    groups.set(key, group);
    return group;
  };
  const [oldCalls, newCalls] = [olds.filter(isCall), recents.filter(isCall)];
  // Of a step that its condition has skipped so far, only the condition is recorded.
  for (const old of olds.filter((each) => !isCall(each))) {
    const [segment, condition] = lastOf(old.conditions);
    const group = old.step === undefined ? groupOf(segment, condition?.print) : groupOf('run', old.step.print);
    group.olds.push(old);
  }
  for (const recent of recents) {
    if (!isCall(recent)) groupOf('run', fingerprintAt(recent.step, prints)).recents.push(recent);
    for (const [segment, condition] of recent.conditions) groupOf(segment, prints.get(condition)).recents.push(recent);
  }
  for (const group of groups.values()) {
    const [old, recent] = [group.olds[0], group.recents[0]];
    const isOnly = group.olds.length === 1 && group.recents.length === 1;
    if (isOnly && old !== undefined && recent !== undefined) pair(old, recent);
  }
  for (const old of oldCalls) {
    const [recent, ...others] = newCalls.filter((each) => resembles(old, each, prints));
    if (recent === undefined || others.length > 0) continue;
    if (oldCalls.filter((each) => resembles(each, recent, prints)).length === 1) pair(old, recent);
  }
}

function fingerprintAt(index: number | undefined, prints: Fingerprints): Fingerprint | undefined {
  return index === undefined ? undefined : prints.get(index);
}

function keyOf(print: Fingerprint | undefined): string {
  return print === undefined ? '' : fingerprintKey(print);
}

function isCall({ children }: OldNode | NewNode): boolean {
  return children.size > 0;
}

/** Whether another call contains each recorded step of a call, unchanged. */
function resembles(old: OldNode, recent: NewNode, prints: Fingerprints): boolean {
  const pairs = [[old, recent] as const];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [before, after] = pair;
    for (const [segment, child] of before.children) {
      const twin = after.children.get(segment);
      if (twin === undefined) return false;
      if (isCall(child)) pairs.push([child, twin]);
      else if (!isSameStep(child, twin, prints)) return false;
    }
  }
  return true;
}

/** The last condition of a step, which has skipped it. */
function lastOf<Condition>(conditions: ReadonlyMap<string, Condition>): readonly [string, Condition | undefined] {
  return [...conditions].at(-1) ?? ['if', undefined];
}

function isSameStep(old: OldNode, recent: NewNode, prints: Fingerprints): boolean {
  const [segment, decision] = lastOf(old.conditions);
  const index = old.step === undefined ? recent.conditions.get(segment) : recent.step;
  return keyOf((old.step ?? decision)?.print) === keyOf(fingerprintAt(index, prints));
}
