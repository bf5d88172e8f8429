import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { COMMAND_LINE } from '../../support/cli.ts';
import { needs } from '../../support/needs.ts';
import { bench, type Bench } from '../../support/processes/bench.ts';
import { CTRL_C, terminal, type Terminal } from '../../support/processes/terminal.ts';

const steps = (name: string): readonly unknown[] => [`echo ${name} >>log`];

const FILE = {
  workflows: {
    '2': { steps: steps('named 2') },
    build: { description: 'Compiles', steps: steps('build') },
    buildall: { steps: steps('buildall') },
    hidden: { private: true, steps: steps('hidden') },
    deploy: { aliases: ['ship'], inputs: { STAGE: { required: true } }, steps: ['echo "$STAGE" >>log'] },
  },
};

const PROMPT = 'cli: number or name of the workflow to run: ';

const LIST = `cli: the workflows of .cli/workflow.json:
1  2         1 step
2  build     1 step  Compiles
3  buildall  1 step
4  deploy    1 step  (alias ship)
  STAGE  (required)
`;

function asked(t: TestContext, words = 'run'): Readonly<{ subject: Bench; shown: Terminal }> {
  const subject = bench(t, FILE);
  return { subject, shown: terminal(t, subject.cwd, 'bash', ['-c', `exec ${COMMAND_LINE} ${words}`]) };
}

describe('`cli run` without a name at a terminal', { concurrency: 2, ...needs('python3') }, () => {
  const ANSWERS: readonly (readonly [answer: string, ran: string])[] = [
    ['build', 'build'],
    ['3', 'buildall'],
    ['2', 'named 2'],
    ['builda', 'buildall'],
  ];
  for (const [answer, ran] of ANSWERS) {
    test(`the answer ${answer} runs the workflow ${ran}`, async (t) => {
      const { subject, shown } = asked(t);
      const screen = await shown.shows(PROMPT);
      assert.equal(screen.replaceAll('\r', ''), LIST + PROMPT);
      shown.type(`${answer}\n`);
      assert.deepEqual([await shown.ended, subject.log()], [{ code: 0, signal: null }, [ran]]);
    });
  }

  test('a chosen workflow asks for its inputs', async (t) => {
    const { subject, shown } = asked(t);
    await shown.shows(PROMPT);
    shown.type('ship\n');
    await shown.shows('cli: STAGE: ');
    shown.type('prod\n');
    assert.deepEqual([await shown.ended, subject.log()], [{ code: 0, signal: null }, ['prod']]);
  });

  test('a wrong answer asks again, three times', async (t) => {
    const { subject, shown } = asked(t);
    const replies = ["'bui' begins build, buildall", "no workflow 'hidden'", "no workflow '7'", "no workflow 'nope'"];
    for (const [index, answer] of ['bui', 'hidden', '7', 'nope'].entries()) {
      await shown.shows([PROMPT, ...replies.slice(0, index)].at(-1) ?? PROMPT);
      shown.type(`${answer}\n`);
      await shown.shows(`cli: ${replies[index]}`);
    }
    assert.deepEqual([await shown.ended, subject.log()], [{ code: 2, signal: null }, []]);
  });

  for (const [name, keys, end] of [
    ['an empty answer', '\n', { code: 130, signal: null }],
    ['Ctrl-D', '\x04', { code: 130, signal: null }],
    ['Ctrl-C', CTRL_C, { code: null, signal: 'SIGINT' }],
  ] as const) {
    test(`${name} starts nothing`, async (t) => {
      const { subject, shown } = asked(t);
      await shown.shows(PROMPT);
      shown.type(keys);
      assert.deepEqual([await shown.ended, subject.log()], [end, []]);
    });
  }

  for (const words of ['workflow run', 'run --quiet', 'run </dev/null']) {
    test(`\`cli ${words}\` asks nothing`, async (t) => {
      const { shown } = asked(t, words);
      assert.deepEqual(await shown.ended, { code: 2, signal: null });
      assert.doesNotMatch(await shown.shows('the name of the workflow is missing'), /number or name/);
    });
  }
});
