import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readQuickly } from '../../src/cli/command_line/quick_parser.ts';
import { COMMANDS } from '../../src/cli/command_line/command_table.ts';
import { readWithYargs } from '../../src/cli/command_line/yargs_parser.ts';
import { FLAG_NAMES } from '../../src/cli/command_line/flags.ts';
import { fuzzing } from '../support/random/fuzzing.ts';

/** Words with a special meaning to one of the parsers. */
const SPECIAL = [
  '',
  ' ',
  'K:a b',
  'a\nb',
  "'q'",
  '\u{1F40E}',
  '-',
  '--',
  '---',
  '-h',
  '-n',
  '-f',
  '-V',
  '-q=1',
  '-f=x',
  'run',
  'list',
  'help',
  'version',
  '-x',
  '-5',
  '-1e3',
  '0x10',
  '1e3',
  'true',
  'false',
  'null',
  '_',
  '$0',
  '-abc',
  '-h=1',
  'K:v',
  'K=v',
  'K:--file',
  'K:-h',
  'K=',
  ':',
  'K:a_b',
  'K:"q"',
  '--no-all',
  '--no-file',
  '--dry-run=true',
  '--file',
  '--file=',
  '--file=-',
  '--file=--all',
  '--fiel',
  '--file.a=1',
  '--dryRun',
  '--__proto__=1',
  '__proto__',
  '--constructor',
  'constructor',
  '10',
  '--_',
  '--pretty=false',
  '--help=',
  '--version=1',
  '--version',
  '--only',
  '--only=a',
  '--report=a.xml',
  '--report=',
  '@x',
  '-\n',
  '--\n',
  '--file="q"',
  "--format='json'",
  '--file=a\nb',
  '--file==',
];
const WORDS = [...COMMANDS.flatMap(({ words }) => words.split(' ')), ...FLAG_NAMES.map((name) => `--${name}`)];

/** The words of a command, or none, with up to five other words inserted anywhere. */
const COMMAND_LINE = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...COMMANDS.map(({ words }) => words.split(' '))) },
      { weight: 4, arbitrary: fc.constant<string[]>([]) },
      { weight: 2, arbitrary: fc.constantFrom(['version'], ['--version'], ['help'], ['--help']) },
    ),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom(...SPECIAL)), fc.nat(7)), { maxLength: 5 }),
  )
  .map(([command, others]) =>
    others.reduce((words, [word, index]) => words.toSpliced(index % (words.length + 1), 0, word), command),
  );

test('the quick parser and yargs agree on random command lines', () => {
  const seen = { command: 0, text: 0, help: 0, 'help on': 0, 'unknown command': 0, 'usage error': 0 };
  const property = fc.property(COMMAND_LINE, (argv) => {
    const quick = readQuickly(argv);
    seen[quick.kind] += 1;
    assert.deepEqual(
      quick,
      readWithYargs(argv, () => []),
    );
  });
  fc.assert(property, fuzzing(1000));
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 10, `${count} of ${kind}`);
});

test('the quick parser and yargs agree on arbitrary strings as arguments', () => {
  const flag = fc.constantFrom(...FLAG_NAMES.map((name) => `--${name}`));
  const text = fc.string({ unit: 'binary', maxLength: 8 });
  const word = fc.oneof(
    flag,
    text,
    fc.tuple(flag, text).map(([name, value]) => `${name}=${value}`),
  );
  const line = fc.tuple(fc.constantFrom(...COMMANDS), fc.array(word, { maxLength: 4 }));
  const property = fc.property(line, ([{ words }, others]) => {
    const argv = [...words.split(' '), ...others];
    const quick = readQuickly(argv);
    if (quick.kind !== 'usage error')
      assert.deepEqual(
        quick,
        readWithYargs(argv, () => []),
      );
  });
  fc.assert(property, fuzzing(300));
});
