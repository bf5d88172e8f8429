import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuickly } from '../../src/command_line/quick_parser.ts';
import { COMMANDS } from '../../src/command_line/spec.ts';
import { readWithYargs } from '../../src/command_line/yargs_parser.ts';
import { FLAG_NAMES } from '../../src/command_line/parse.ts';
import { random, SEED, type Random } from '../support/random/random.ts';

/** Words that mean something to one parser or another. */
const ODD = [
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
  '@x',
];
const WORDS = [...COMMANDS.flatMap(({ words }) => words.split(' ')), ...FLAG_NAMES.map((name) => `--${name}`)];

function commandLine(source: Random): string[] {
  const words = source.chance(0.7) ? source.pick(COMMANDS).words.split(' ') : [];
  for (let count = source.below(6); count > 0; count -= 1) {
    const word = source.pick(source.chance(0.5) ? WORDS : ODD);
    words.splice(source.below(words.length + 1), 0, word);
  }
  return words;
}

test('3,000 random command lines mean the same to the parser alone and to all of yargs', async (t) => {
  t.diagnostic(`FUZZ_SEED=${SEED}`);
  const seen = { command: 0, text: 0, help: 0, 'usage error': 0 };
  for (let seed = SEED; seed < SEED + 3000; seed += 1) {
    const argv = commandLine(random(seed));
    const [quick, full] = [readQuickly(argv), await readWithYargs(argv)];
    seen[quick.kind] += 1;
    const again = `FUZZ_SEED=${seed} repeats it as the first: ${JSON.stringify(argv)}`;
    if (quick.kind === 'help') assert.equal(full.kind, 'text', again);
    else assert.deepEqual(quick, full, again);
  }
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 30, `${count} of ${kind}`);
});
