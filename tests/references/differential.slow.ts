import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { findReferences } from '../../src/frontend/references/step_references.ts';
import { rewriteReferences, splice } from '../../src/ir/output_variables.ts';
import { runEach, SHELLS, type Outcome, type Run } from '../support/processes/recording_shell.ts';
import { quotedParameters } from '../support/references/quoted_parameters.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { disturbedCommand, randomCommand } from '../support/random/random_command.ts';
import { withReferences } from '../support/references/step_reference.ts';

/** Code that creates a file. */
const CODE = ':>pwned';

/** Values that create a file if a shell executes them, without characters at which a shell splits or expands. */
const ATTACKS = [
  `$(${CODE})`,
  `\`${CODE}\``,
  `";${CODE};"`,
  `';${CODE};'`,
  `;${CODE};`,
  `}${CODE};{`,
  `);${CODE};(`,
  `\${x:-$(${CODE})}`,
  `'"$(${CODE})"'`,
  `&&${CODE}`,
  `|${CODE}`,
  `>pwned`,
];

/** Texts and fragments with a meaning to shells, or that shells are known to lose. */
const TEXTS = [
  ..."* ? ~ -n -- = %s \\ \\c ' \" ` $ $V ${V} $((1)) $' ! # & ; | < > ( ) {a,b} } a bc % @(a) [a]".split(' '),
  ...'. / é 日本 😀 § n1 \t \n \n\n \r \\\n \nn1\n \n\tA\n \u0301 \u2028 \u0001 \u007f'.split(' '),
  ' ',
];

const attack = fc.constantFrom(...ATTACKS);
const value = fc.oneof(
  attack,
  fc.array(fc.oneof(fc.constantFrom(...TEXTS), attack), { maxLength: 6 }).map((texts) => texts.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
);

/** A command with references in the positions of the marks, if all of them are accepted. */
interface Accepted {
  /** The command as run, with the variable V. */
  readonly rewritten: string;
  /** The command with a text in place of each reference. */
  readonly withText: (text: string) => string;
  readonly count: number;
}

function accepted(text: string): Accepted | undefined {
  const command = withReferences(text);
  const { references, problems } = findReferences(command);
  if (problems.length > 0) return undefined;
  return {
    rewritten: rewriteReferences(command, references, () => 'V'),
    withText: (each) => splice(command, references, () => each),
    count: references.length,
  };
}

/** The number of commands in a batch. One start of a shell runs them all, and a finding is shrunk to one of them. */
const BATCH = { minLength: 1, maxLength: 20, size: 'max' } as const;

function batches<Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  return fc.array(item, BATCH);
}

/** Checks that another parser sees each variable in quotes, or finds the command malformed. */
function assertQuoted({ rewritten, count }: Accepted): void {
  const quoted = quotedParameters(rewritten, /^V$/);
  if (quoted !== undefined)
    assert.deepEqual(
      quoted,
      Array.from({ length: count }, () => true),
      rewritten,
    );
}

for (const shell of SHELLS) {
  test(`in ${shell} a reference is equivalent to a variable quoted by hand, at any nesting`, () => {
    const nested = fc.record({ piece: randomCommand(shell === 'bash', 3), value });
    const seen = { accepted: 0, all: 0 };
    const property = fc.property(batches(nested), (all) => {
      const cases = all.flatMap(({ piece, value: each }) => {
        const found = accepted(piece.reference);
        return found === undefined ? [] : [{ found, byHand: piece.byHand, value: each }];
      });
      seen.accepted += cases.length;
      seen.all += all.length;
      if (shell === 'bash') for (const { found } of cases) assertQuoted(found);
      const outcomes = runEach(
        shell,
        cases.flatMap(({ found, byHand, value: each }): Run[] => [
          { command: found.rewritten, value: each },
          { command: byHand, value: each },
        ]),
      );
      for (const [index, { found, value: each }] of cases.entries()) {
        const [actual, expected] = outcomes.slice(2 * index);
        assert.deepEqual(actual, expected, `V=${JSON.stringify(each)}\n${found.rewritten}`);
        assert.ok(actual?.files.includes('pwned') === false, found.rewritten);
      }
    });
    fc.assert(property, fuzzing(8));
    // Otherwise the test would test little.
    assert.ok(seen.accepted > seen.all * 0.7, JSON.stringify(seen));
  });

  test(`in ${shell} a value is one text in every accepted position, even in a malformed command`, () => {
    const disturbed = fc.record({ text: disturbedCommand(shell === 'bash'), value: attack });
    const seen = { accepted: 0, all: 0, malformed: 0 };
    const property = fc.property(batches(disturbed), (all) => {
      const cases = all.flatMap(({ text, value: each }) => {
        const found = accepted(text);
        // A loop could run forever, and the name of a function must be literal.
        const isUsable =
          found !== undefined && found.count > 0 && !/while|until|\(\(|@R@\s*\(/.test(found.withText('@R@'));
        // Quotes of bash, which dash reads as a dollar sign and single quotes.
        if (shell === 'sh' && text.includes("$'")) return [];
        return isUsable ? [{ found, value: each }] : [];
      });
      seen.accepted += cases.length;
      seen.all += all.length;
      if (shell === 'bash') for (const { found } of cases) assertQuoted(found);
      const outcomes = runEach(
        shell,
        cases.flatMap(({ found, value: each }): Run[] => [
          { command: found.withText('@R@'), value: '' },
          { command: found.rewritten, value: '@R@' },
          { command: found.rewritten, value: each },
        ]),
      );
      for (const [index, { found, value: each }] of cases.entries()) {
        const [literal, plain, attacked] = outcomes.slice(3 * index);
        assert.deepEqual(sorted(plain), sorted(literal), found.rewritten);
        assert.deepEqual(sorted(attacked), sorted(plain, each), `V=${JSON.stringify(each)}\n${found.rewritten}`);
      }
    });
    fc.assert(property, fuzzing(16));
    assert.ok(seen.accepted > seen.all * 0.2, JSON.stringify(seen));
  });
}

/** The records and the file of an attack, sorted, with a text in place of `@R@`. */
function sorted(outcome: Outcome | undefined, text = '@R@'): readonly string[] {
  if (outcome === undefined) throw new Error('a run without an outcome');
  const { recorded, files } = outcome;
  // A process substitution can end later than its command, so other files may or may not exist.
  const all = [...recorded, ...files.filter((file) => file === 'pwned')];
  return all.map((each) => each.replaceAll('@R@', () => text)).toSorted();
}
