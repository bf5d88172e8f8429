import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { record } from '../support/random/recording_port.ts';
import { call, own } from '../support/workflow.ts';

test('the hooks of 250 nested calls run from the inside out', async () => {
  const names = Array.from({ length: 250 }, (_, level) => `level ${level}`);
  const workflows = names.map((name, level) => {
    const inner = names[level + 1];
    return [level === 0 ? 'ci' : name, own(name, inner === undefined ? ['deep'] : [call(inner)])];
  });
  const ended = names.toReversed();
  const file = { workflows: Object.fromEntries(workflows) };
  assert.deepEqual((await record(file)).ran, ['deep', ...ended.map((name) => `${name} finally`)]);
  const failed = ended.flatMap((name) => [`${name} error`, `${name} finally`]);
  assert.deepEqual((await record(file, { deep: 1 })).ran, ['deep', ...failed]);
});

test('each copy of a call with a matrix has the hooks of its workflow, with the values of the copy', async () => {
  const copies = call('deploy', { matrix: { REGION: ['eu', 'us', 'asia'] } });
  const deploy = { error: 'alert', finally: 'unlock', steps: ['apply'] };
  const { requests } = await record({ workflows: { ci: { steps: [copies, 'last'] }, deploy } }, { apply: 1 });
  assert.deepEqual(
    requests.map(({ command, environment }) => `${command} ${environment.get('REGION') ?? ''}`.trim()),
    ['apply eu', 'alert eu', 'unlock eu'],
  );
  const { requests: whole } = await record({ workflows: { ci: { steps: [copies, 'last'] }, deploy } });
  const unlocked = whole.filter(({ command }) => command === 'unlock');
  assert.deepEqual(
    unlocked.map(({ environment }) => environment.get('REGION')),
    ['eu', 'us', 'asia'],
  );
});

/** A command that prints a text, its directory and the variable STAGE. */
const say = (text: string): string => `echo "said ${text} \${PWD##*/} $STAGE"`;

test('the hooks of an included workflow run in its directory, and those of its file do not', async (t) => {
  const never = { before_all: say('never'), after_all: say('never'), error: say('never'), finally: say('never') };
  const deploy = { error: say('error'), finally: say('finally'), steps: ['false'] };
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': {
      include: { infra: { file: 'infra.json', dir: 'infra' } },
      workflows: {
        ci: { finally: 'echo "said ci $STAGE"', steps: [call('infra:deploy', { with: { STAGE: 'live' } })] },
      },
    },
    '.cli/infra.json': { ...never, workflows: { deploy } },
    'infra/x': '',
  });
  const said = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { stderr } = await cli(['workflow', 'run', '--quiet', ...words], { cwd });
    return stderr.split('\n').filter((line) => line.startsWith('said '));
  };
  const inner = ['said error infra live', 'said finally infra live'];
  assert.deepEqual(await said('ci'), [...inner, 'said ci ']);
  assert.deepEqual(await said('infra:deploy', 'STAGE:live'), inner);
});
