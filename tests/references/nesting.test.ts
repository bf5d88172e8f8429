import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RandomCommand } from '../support/random/random_command.ts';
import { random, SEED, type Random } from '../support/random/random.ts';
import { randomValue } from '../support/random/random_value.ts';
import { runEach, SHELLS, type Run } from '../support/processes/recording_shell.ts';
import { serve, withReferences } from '../support/step_reference.ts';

/** Values that write a file wherever a shell takes them for code. */
function payload(source: Random, index: number): string {
  const code = `:>pwned${index}`;
  return source.pick([
    `$(${code})`,
    `\`${code}\``,
    `"; ${code}; "`,
    `'; ${code}; '`,
    `"; ${code}; : '`,
    `\n${code}\n`,
    `; ${code}; #`,
    `a[$(${code})]`,
    `x=a[$(${code})]`,
    `a[\`${code}\`]=1`,
    `}; ${code}; {`,
    `); ${code}; (`,
    `EOF\n${code}\n`,
    `\${x:-$(${code})}`,
    `$((a[$(${code})]))`,
  ]);
}

for (const shell of SHELLS) {
  test(`whatever is nested in what, ${shell} gets the value as it is (FUZZ_SEED=${SEED})`, (t) => {
    const made = Array.from({ length: 120 }, (_, index) => {
      const source = random(SEED + index);
      const { text, recorded } = new RandomCommand(source, shell === 'bash').list(3);
      const { rewritten, refused } = serve(withReferences(text));
      const value = source.pick([payload, randomValue, (each: Random) => randomValue(each) + payload(each, index)])(
        source,
        index,
      );
      return { command: rewritten, value, recorded, isServed: refused.length === 0 };
    });
    const served = made.filter(({ isServed }) => isServed);
    // Else the test would test nothing.
    assert.ok(served.length > made.length / 2);
    const { recorded, files } = runEach(t, shell, served);
    for (const [index, run] of served.entries()) {
      const expected = run.recorded.map((text) => text.replaceAll('§', () => run.value));
      const repeat = `FUZZ_SEED=${SEED} repeats it: V=${JSON.stringify(run.value)}\n${run.command}`;
      assert.deepEqual(recorded[index], expected, repeat);
    }
    assert.deepEqual(files, []);
  });
}

const TOKENS = [
  ...'" \' $\' $" ` \\ ( ) (( )) { } [ ] [[ ]] $( $(( $[ ${ ${X:- ${X:= ${X# ${X: ${X[ ${#X ${!X <( < > >> << <<- <<<'.split(
    ' ',
  ),
  ...'& && | || ; ;; # § "§" \'§\' a[ a= a[§]= =( +=( @( !( -eq -c EXIT bash in do then case esac x) command builtin'.split(
    ' ',
  ),
  ...'RANDOM= PS4= OPTIND= for 2>& <& =~ == : * ~ ! time coproc function export readonly \\eval {fd}> a[0]='.split(' '),
  'eval §',
  'trap § EXIT',
  'test -v §',
  'printf -v §',
  'unset §',
  'read §',
  'let §',
  '[[ -v §',
];

/** A command with tokens in places where they do not belong, or just so do. */
function disturbed(command: string, source: Random): string {
  let text = command;
  for (let times = 1 + source.below(3); times > 0; times -= 1) {
    const places = Array.from(text.matchAll(/\s|§|\b/g), ({ index }) => index);
    const at = source.chance(0.2) ? source.below(text.length) : source.pick([0, ...places]);
    const blank = source.pick(['', ' ', '\n']);
    const skipped = source.chance(0.2) ? source.below(3) : 0;
    text = text.slice(0, at) + blank + source.pick(TOKENS) + source.pick(['', ' ', '\n']) + text.slice(at + skipped);
  }
  return text;
}

for (const shell of SHELLS) {
  test(`whatever is wrong with a command, ${shell} never runs the value (FUZZ_SEED=${SEED})`, (t) => {
    const served = Array.from({ length: 1500 }, (_, index): Run | undefined => {
      const source = random(SEED + index);
      const { text } = new RandomCommand(source, shell === 'bash').list(source.below(2));
      // What becomes of a variable that a command sets is not our affair, so none of these is used.
      const direct = text.replaceAll(/"\$[\w@]+"|"\$\{\w+\[@\]\}"/g, 'x');
      const { rewritten, refused } = serve(withReferences(disturbed(direct, source)));
      // A loop could go on for ever.
      const isServed = refused.length === 0 && rewritten.includes('${V}') && !text.includes('while');
      return isServed ? { command: rewritten, value: payload(source, index) } : undefined;
    }).filter((run) => run !== undefined);
    assert.ok(served.length > 100);
    const { files } = runEach(t, shell, served);
    const pwned = files.filter((name) => /^pwned\d+$/.test(name)).map((name) => Number(name.slice(5)));
    const bad = served.filter(({ value }) => pwned.some((index) => value.includes(`pwned${index}`)));
    assert.deepEqual(bad, [], `FUZZ_SEED=${SEED} repeats it`);
  });
}
