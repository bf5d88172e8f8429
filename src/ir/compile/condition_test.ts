import type { StepCheck } from '../../frontend/ast.ts';
import { afterConditions } from '../ops.ts';
import { at, type Op, type OutputRead, type StaleTest, type Test } from '../plan.ts';
import { lookupTextOf } from './frame_table.ts';

/** The test of a condition. A bare name is a variable. `true` and `false`, like any other text, are commands. */
export function testOf(condition: string, reads: readonly OutputRead[]): Test {
  const name = condition.trim();
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== 'true' && name !== 'false';
  return isName ? { kind: 'variable', name } : { kind: 'command', command: condition, reads };
}

/** Flattened copies of a step share their tests. */
const TESTS = new WeakMap<StepCheck, StaleTest>();

/** The test of the files of a step. */
export function staleTest(check: StepCheck): StaleTest {
  const known = TESTS.get(check);
  if (known !== undefined) return known;
  const test: StaleTest = {
    kind: 'stale',
    sources: check.sources.map(lookupTextOf),
    generates: check.generates.map(lookupTextOf),
  };
  TESTS.set(check, test);
  return test;
}

/** Makes the conditions of a step, from the first one on, skip to the next op. */
export function setTarget(ops: Op[], guard: number | null): void {
  if (guard === null) return;
  const end = afterConditions({ ops }, guard);
  for (let index = guard; index < end; index += 1) {
    const condition = at(ops, index);
    if (condition.kind === 'condition') ops[index] = { ...condition, target: ops.length };
  }
}
