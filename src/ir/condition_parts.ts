import { unreachable } from '../unreachable.ts';
import type { OutputRead, Test } from './plan.ts';

/** The parts of a condition that depend on the kind of its test. */
export type ConditionParts = Readonly<{
  /** The test as it is written in the file. */
  text: string;
  /** The name or the command, with its references to outputs. */
  code: string;
  reads: readonly OutputRead[];
  /** The tested variable. Undefined for a test by a command, whose end decides. */
  variable: string | undefined;
  /** The state in which it holds. */
  met: string;
  /** The reason for a skipped step. */
  unmet: string;
}>;

const NO_READS: readonly OutputRead[] = [];

/** What each kind of test is. */
export function conditionParts(test: Test): ConditionParts {
  switch (test.kind) {
    case 'variable': {
      const { name } = test;
      const texts = { text: name, code: name, met: `${name} is set`, unmet: `${name} is not set` };
      return { ...texts, reads: NO_READS, variable: name };
    }
    case 'command': {
      const { command, reads } = test;
      const texts = { text: command, code: command, met: command, unmet: `condition failed: ${command}` };
      return { ...texts, reads, variable: undefined };
    }
    default:
      return unreachable(test);
  }
}
