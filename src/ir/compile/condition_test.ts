import type { OutputRead, Test } from '../plan.ts';

/** The test of a condition. A bare name is a variable. `true` and `false`, like any other text, are commands. */
export function testOf(condition: string, reads: readonly OutputRead[]): Test {
  const name = condition.trim();
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== 'true' && name !== 'false';
  return isName ? { kind: 'variable', name } : { kind: 'command', command: condition, reads };
}
