import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PLAN_FORMAT } from '../../src/ir/plan.ts';
import { createProject, refused } from '../support/project.ts';

const FILE = { workflows: { release: { description: 'Tag VERSION', steps: ['git tag "$VERSION"'] } } };

describe('invalid plan files', () => {
  for (const [name, text] of Object.entries({
    'another text': 'hello\n',
    'no workflow': 'plan 1\n',
    'no number': 'plan release\n',
    'format 0': 'plan 0 release\n',
    'two spaces': 'plan 1  release\n',
    'an unterminated quote': 'plan 1 "release\n',
    'quotes without JSON': 'plan 1 "\\x"\n',
    'a word that needs quotes': 'plan 1 a,b\n',
    'a word that exhausts a regular expression': `plan 1 release "A:${'x'.repeat(8 * 1024 * 1024)}"\n`,
    'more lines than a plan has': `plan 1 release\n${'a\n'.repeat(1_000_001)}`,
    'binary data': '\u0000\u0001',
  })) {
    test(`an invalid plan file is rejected: ${name}`, async (t) => {
      const { cli } = createProject(t, FILE, { 'a.plan': text });
      const usage = 'to write one: cli plan <name> > <file>';
      assert.deepEqual(await cli('plan', '--check', 'a.plan'), refused('a.plan is not a plan file', usage));
    });
  }

  test('a missing plan file, an empty one and a directory are rejected', async (t) => {
    const { cli } = createProject(t, FILE, { 'empty.plan': '' });
    const missing = 'cannot read no.plan: it does not exist';
    assert.deepEqual(await cli('plan', '--check', 'no.plan'), refused(missing));
    assert.deepEqual(await cli('plan', '--check', 'empty.plan'), refused('cannot read empty.plan: it is empty'));
    const directory = 'cannot read sub: EISDIR: illegal operation on a directory';
    assert.deepEqual(await cli('plan', '--check', 'sub'), refused(directory));
  });

  test('a plan file of another format is rejected', async (t) => {
    const newer = PLAN_FORMAT + 1;
    const { cli } = createProject(t, FILE, { 'newer.plan': `plan ${newer} release\n` });
    const problem = `newer.plan is a plan of format ${newer}; this version of cli has format ${PLAN_FORMAT}`;
    assert.deepEqual(await cli('plan', '--check', 'newer.plan'), refused(problem));
  });

  test('a plan of a removed workflow, or of an invalid file, is rejected', async (t) => {
    const { cli, edit } = createProject(t, FILE, {
      'gone.plan': 'plan 1 relase\n',
      'release.plan': 'plan 1 release\n',
    });
    assert.deepEqual(
      await cli('plan', '--check', 'gone.plan'),
      refused(
        "no workflow 'relase' in .cli/workflow.json; did you mean 'release'?",
        'to list the workflows: cli list --all',
      ),
    );
    edit('"steps"', '"stpes"');
    const { code, stdout } = await cli('plan', '--check', 'release.plan');
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  });
});
