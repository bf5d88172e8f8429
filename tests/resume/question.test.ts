/* The question about a step that was running when the run was killed. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { COMMAND } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { LINUX } from '../support/processes/shell.ts';
import { terminal, type Terminal } from '../support/processes/terminal.ts';
import { crash, effect, killAlone, project, waiting, type Project } from '../support/runs/recorded_run.ts';
import type { TestContext } from 'node:test';

const FAILING = effect('c', { run: 'echo c >> effects; test -e fixed' });

/** A resume in a terminal, up to its question. */
async function asked(t: TestContext, { cwd }: Project): Promise<Terminal> {
  const [program, ...first] = COMMAND;
  const shown = terminal(t, cwd, program, [...first, 'resume', '--last'], { TERM: 'dumb', CLI_NO_JOURNAL: undefined });
  await shown.shows(
    "cli: step 'b' was running when the run was killed; it is not known whether it finished\r\n" +
      'cli: run it (again), count it as (done), or (stop)? ',
  );
  return shown;
}

describe('at a terminal, a resume asks about a step that was running', { ...LINUX, ...needs('python3') }, () => {
  for (const [answer, second] of [
    ['again', ['b', 'b-end', 'c']],
    ['done', ['c']],
  ] as const) {
    test(`after the answer '${answer}' the resume proceeds, and does not ask again`, async (t) => {
      const subject = project(t, [effect('a'), waiting('b'), FAILING]);
      await crash(await subject.start('run ci'));
      writeFileSync(join(subject.cwd, 'go'), '');
      const shown = await asked(t, subject);
      shown.type('what?\n');
      shown.type(`${answer}\n`);
      assert.deepEqual(await shown.ended, { code: 1, signal: null });
      assert.deepEqual(subject.effects(), ['a', 'b', ...second]);
      assert.equal((await subject.cli('resume --last')).code, 1);
      assert.deepEqual(subject.effects(), ['a', 'b', ...second, 'c']);
    });
  }

  test("after the answer 'stop' nothing starts", async (t) => {
    const subject = project(t, [effect('a'), waiting('b'), FAILING]);
    await crash(await subject.start('run ci'));
    const shown = await asked(t, subject);
    shown.type('stop\n');
    assert.deepEqual(await shown.ended, { code: 2, signal: null });
    assert.deepEqual(subject.effects(), ['a', 'b']);
  });

  test('no question is asked while processes of the step are still running', async (t) => {
    const subject = project(t, [effect('a'), waiting('b'), FAILING]);
    await killAlone(await subject.start('run ci'));
    const [program, ...first] = COMMAND;
    const env = { TERM: 'dumb', CLI_NO_JOURNAL: undefined };
    const shown = terminal(t, subject.cwd, program, [...first, 'resume', '--last'], env);
    await shown.shows('; nothing was started\r\ncli: to wait until they have ended, add --orphans wait; ');
    assert.deepEqual(await shown.ended, { code: 2, signal: null });
    writeFileSync(join(subject.cwd, 'go'), '');
    assert.equal((await subject.cli('resume --last --orphans wait --done b')).code, 1);
    assert.deepEqual(subject.effects(), ['a', 'b', 'b-end', 'c']);
  });

  test('no question is asked if the file sets on_crash', async (t) => {
    const subject = project(t, [effect('a'), waiting('b', { on_crash: 'rerun' }), FAILING]);
    await crash(await subject.start('run ci'));
    writeFileSync(join(subject.cwd, 'go'), '');
    assert.equal((await subject.cli('resume --last')).code, 1);
    assert.deepEqual(subject.effects(), ['a', 'b', 'b', 'b-end', 'c']);
  });
});

test('--on-crash has precedence over on_crash', async (t) => {
  const subject = project(t, [effect('a'), waiting('b', { on_crash: 'rerun' }), FAILING]);
  await crash(await subject.start('run ci'));
  assert.equal((await subject.cli('resume --last --on-crash ask')).code, 2);
  assert.equal((await subject.cli('resume --last --on-crash fail')).code, 1);
  assert.deepEqual(subject.effects(), ['a', 'b']);
});
