import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { planText } from '../src/ir/text.ts';
import { cliWithAnnouncements, withoutAnnouncements } from './support/cli.ts';
import { inProcess } from './support/in_process.ts';
import { ONLY_PATH } from './support/environment.ts';
import { argvOf, FIXTURES, nonEmpty, testGoldens, type Case, type Group } from './support/goldens.ts';
import { planOf } from './support/plans.ts';

/** Runs wait for processes of their own; the others share ours, and its current directory. */
const CONCURRENCY = { runs: 4, others: 1 };

const validation = (name: string): Group => ({
  name,
  inputs: [],
  outputs: ['validate.json', 'stderr.txt'],
  produce: async ({ folder, file }, t) => {
    const args = ['workflow', 'validate', '--file', file, '--pretty'];
    const { code, signal, stdout, stderr } = await inProcess(t, args, { cwd: folder });
    assert.deepEqual({ code, signal }, { code: name === 'invalid' ? 1 : 0, signal: null });
    return nonEmpty({ 'validate.json': stdout, 'stderr.txt': stderr });
  },
});

const groups: readonly Group[] = [
  {
    name: 'plans',
    inputs: ['argv.txt'],
    outputs: ['plan.txt'],
    produce: (given) => nonEmpty({ 'plan.txt': `${[...planText(planOf(given))].join('\n')}\n` }),
  },
  {
    name: 'views',
    inputs: ['argv.txt'],
    outputs: ['graph.mmd', 'graph.dot', 'explain.txt'],
    produce: async (given, t) => {
      const { folder, file } = given;
      const [workflow = '', ...params] = argvOf(given);
      const view = async (...words: string[]): Promise<string> => {
        const args = ['workflow', ...words, '--file', file];
        const { stdout, ...ended } = await inProcess(t, args, { cwd: folder, env: { STAGE: 'of the process' } });
        assert.deepEqual(ended, { code: 0, signal: null, stderr: '' });
        return stdout;
      };
      return nonEmpty({
        'graph.mmd': await view('graph', workflow),
        'graph.dot': await view('graph', workflow, '--format', 'dot'),
        'explain.txt': await view('explain', workflow, ...params),
      });
    },
  },
  validation('invalid'),
  validation('warnings'),
  {
    name: 'runs',
    inputs: ['argv.txt'],
    outputs: ['result.json', 'stderr.txt', 'exit.txt'],
    produce: async (given: Case) => {
      const args = ['workflow', 'run', '--file', given.file, '--pretty', ...argvOf(given)];
      const input = 'one\ntwo\n';
      const finished = await cliWithAnnouncements(args, { cwd: given.folder, env: ONLY_PATH, input });
      assert.equal(finished.signal, null);
      const { code, stdout, stderr } = finished;
      return nonEmpty({ 'result.json': stdout, 'stderr.txt': withoutAnnouncements(stderr), 'exit.txt': `${code}\n` });
    },
  },
];

test('every folder of fixtures is a group of cases', () => {
  const known = new Set(groups.map(({ name }) => name));
  assert.deepEqual(new Set(readdirSync(FIXTURES)), known);
});

for (const group of groups) {
  const concurrency = group.name === 'runs' ? CONCURRENCY.runs : CONCURRENCY.others;
  describe(group.name, { concurrency }, () => testGoldens(group));
}
