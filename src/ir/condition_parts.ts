import { unreachable } from '../base/unreachable.ts';
import type { OutputRead, Test } from './plan.ts';

/** The parts of a condition that depend on the kind of its test. */
export type ConditionParts = Readonly<{
  /** The test as it is written in the file, or the kind of a check. */
  text: string;
  /** The name or the command, with its references to outputs. */
  code: string;
  reads: readonly OutputRead[];
  /** The tested variable. */
  variable: string | undefined;
  /** The last segment of its id in the journal. */
  id: 'if' | 'stale' | 'first';
  /** The state in which it holds. */
  met: string;
  /** The reason for a skipped step. */
  unmet: string;
}>;

const NO_READS: readonly OutputRead[] = [];

/** The parts of a check, which has no code. */
const CHECK = { code: '', reads: NO_READS, variable: undefined } as const;

/** A negated plain word at the beginning of a condition. */
const NEGATED = /^\s*(?:!\s+)+([A-Za-z_][\w.+-]*)(?=[\s;|&)]|$)/;

/**
 * The command of a condition that fails with 127 if it negates a command that does not exist: `! COMMAND` would succeed.
 */
export function withNegationCheck(command: string): string {
  const [, name] = NEGATED.exec(command) ?? [];
  return name === undefined ? command : `type ${name} >/dev/null 2>&1 || { ${name}; exit; }; ${command}`;
}

/** The parts of each kind of test. */
export function conditionParts(test: Test): ConditionParts {
  switch (test.kind) {
    case 'variable': {
      const { name } = test;
      const texts = { text: name, code: name, met: `${name} is set`, unmet: `${name} is not set` };
      return { ...texts, reads: NO_READS, variable: name, id: 'if' };
    }
    case 'command': {
      const { command, reads } = test;
      const texts = { text: command, code: command, met: command, unmet: `condition failed: ${command}` };
      return { ...texts, reads, variable: undefined, id: 'if' };
    }
    case 'stale': {
      const unmet = test.since === undefined ? 'up to date' : `not touched since ${test.since.revision}`;
      return { ...CHECK, text: 'stale', met: 'not up to date', unmet, id: 'stale' };
    }
    case 'first':
      return { ...CHECK, text: 'first', met: 'not run before', unmet: 'already ran', id: 'first' };
    default:
      return unreachable(test);
  }
}
