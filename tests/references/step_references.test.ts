import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REFERENCE_PROBLEMS } from '../../src/frontend/references/shell/found_reference.ts';
import { findInValue, findReferences } from '../../src/frontend/references/step_references.ts';
import { rewriteReferences } from '../../src/ir/output_variables.ts';
import { positions, rewrite, withReferences } from '../support/references/step_reference.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

describe('accepted references', () => {
  for (const { where, command, sections } of positions('accepted')) {
    test(`a reference is accepted: ${where}`, () => {
      assert.deepEqual([...sections.keys()], ['is run as', 'records']);
      assert.deepEqual(rewrite(command), { rewritten: sections.get('is run as'), rejected: [] });
    });
  }
});

describe('rejected references', () => {
  const rejected = positions('rejected');
  for (const { where, command, sections } of rejected) {
    test(`a reference is rejected: ${where}`, () => {
      assert.deepEqual([...sections.keys()], ['rejected']);
      assert.deepEqual(rewrite(command).rejected, withReferences(sections.get('rejected') ?? '').split('\n'));
    });
  }

  test('every reason for a rejection is tested', () => {
    const inCommands = rejected.flatMap(({ command }) => findReferences(command).problems);
    // A command rejects every reference to a variable, malformed or not.
    const problems = [...inCommands, ...findInValue('${vars.}').problems];
    assert.deepEqual(new Set(problems.map(({ problem }) => problem)), new Set(Object.keys(REFERENCE_PROBLEMS)));
  });
});

test('a reference has its output, its range and its quotes', () => {
  const command = `echo \${steps.a b-ü.B} 'é\${steps.it's.v1.C_2}' "\${steps.x.D}"$'\${steps.y.E}' \${steps.z}`;
  assert.deepEqual(findReferences(command), {
    references: [
      { step: 'a b-ü', key: 'B', fallback: null, start: 5, end: 21, quotes: 'none' },
      { step: "it's.v1", key: 'C_2', fallback: null, start: 24, end: 44, quotes: 'single' },
      { step: 'x', key: 'D', fallback: null, start: 47, end: 59, quotes: 'double' },
      { step: 'y', key: 'E', fallback: null, start: 62, end: 74, quotes: 'ansi' },
    ],
    problems: [{ start: 76, end: 86, problem: 'malformed' }],
  });
});

test('a fallback is literal, and ends at the first closing brace', () => {
  const fallbacks = ['', 'v1.2.B', 'a b', `"it's" $HOME $(x) \`y\` \\`, '{', 'a\nb', '-', ':-x', 'é😀'];
  for (const fallback of fallbacks) {
    const written = `\${steps.a.b.X:-${fallback}}`;
    const reference = { step: 'a.b', key: 'X', fallback, quotes: 'double' };
    const inCommand = { ...reference, start: 6, end: 6 + written.length };
    assert.deepEqual(findReferences(`echo "${written}}"`), { references: [inCommand], problems: [] });
    const inValue = { ...reference, start: 2, end: 2 + written.length };
    assert.deepEqual(findInValue(`{ ${written}}`), { references: [inValue], variables: [], problems: [] });
  }
});

test('an unterminated fallback, or one that would end too early, is rejected', () => {
  const nested = '${steps.a.X:-${HOME}}';
  assert.deepEqual(findInValue(nested).problems, [{ start: 0, end: 13, problem: 'fallback' }]);
  assert.deepEqual(rewrite(`echo "${nested}" \${steps.a.X:-x`).rejected, [
    'fallback: ${steps.a.X:-',
    'malformed: ${steps.a.X:-x',
  ]);
});

for (const command of [
  '[ a § ] && printf § x && export § && kubectl wait §',
  'for i in 1 2; do n=§; declare -i n; done; declare -i m; m=§; x=§; eval "echo $x"',
  'ssh host "make §"; awk "§" file; node -e "§"; echo § | bash',
  'git commit -m "with bash" -c §; SHELL=/bin/sh make -c §; cat <<<§; bash -x deploy.sh §',
  'grep eval §; echo then trap §; case eval in x) ls §;; esac; f() { echo "${1:-§}"; }',
]) {
  test(`a reference is accepted where a variable would be: ${command}`, () => {
    assert.deepEqual(rewrite(withReferences(command)).rejected, []);
  });
}

test('a rejected reference is unchanged, and the others are rewritten', () => {
  assert.deepEqual(rewrite(withReferences('echo § $((§)) §')), {
    rewritten: 'echo "${V}" $((${steps.a.V})) "${V}"',
    rejected: ['arithmetic: ${steps.a.V}'],
  });
});

test('each reference has its own variable', () => {
  const command = 'echo ${steps.a.X} "${steps.b.X}" ${steps.a.Y}';
  const { references } = findReferences(command);
  const rewritten = rewriteReferences(command, references, ({ step, key }) => `OF_${step}_${key}`);
  assert.equal(rewritten, 'echo "${OF_a_X}" "${OF_b_X}" "${OF_a_Y}"');
});

for (const command of [
  'echo ${stepsXa.B} ${steps} $steps.a.B ${STEPS.a.B} $${steps.a.B} {steps.a.B}',
  'echo "not closed ${X:-',
  '',
  'echo \\${steps.a} # ${steps.a}',
]) {
  test(`not a reference: ${command}`, () => {
    assert.deepEqual(findReferences(command), { references: [], problems: [] });
    assert.equal(
      rewriteReferences(command, [], () => 'V'),
      command,
    );
  });
}

for (const piece of [
  ..."\" ' $' ` $( ${X:- ${X# (( $(( [[ a[ ( ) { \\ # <( $[ >& x=( @( '' \"\" ; ${steps. ${steps.a. ${steps.a.X:- ${steps.a.X:-$ eval § N".split(
    ' ',
  ),
  '<<E ',
  '<<E\n',
  '$(cat <<E\n',
  'cat <<E\n§\nE\n',
  'case x in ',
  'a) ',
  '[[ § -eq ',
  '[ § § ',
  'printf § ',
  'bash -c "§" ',
  '"" ',
  '\n',
  '\\\n',
]) {
  test(`a quarter of a megabyte of ${JSON.stringify(piece)} is read in at most 10 times the CPU time of parsing 8 MB`, async () => {
    const text = withReferences(piece);
    const command = `${withReferences('echo § ')}${text.repeat(Math.ceil(2 ** 18 / text.length))}`;
    await assertCpuTime(10, () => findReferences(command));
  });
}
