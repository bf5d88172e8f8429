import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { GITHUB, runIn } from '../support/goldens/ci_job.ts';
import { ci } from '../support/workflow.ts';

for (const [command, words, result] of [
  ['echo "${V:?}"; true', [], 'exit code 127 (V is not set)'],
  ['echo "${V:?no version}"', ['V:'], 'exit code 127 (V is empty)'],
  ['echo "${V?}"', [], 'exit code 127 (V is not set)'],
  ['echo "${V?}"; false', ['V:'], 'exit code 1'],
  ['echo "${V:?}"; false', ['V:1'], 'exit code 1'],
  ['echo "${HOME:?}"; nosuch', [], 'exit code 127 (command not found)'],
  [`echo '\${V:?}'; nosuch`, [], 'exit code 127 (command not found)'],
  ['echo "${V:-?}"; nosuch', [], 'exit code 127 (command not found)'],
  ['echo "${A:?}" "${V:?}"', ['A:1'], 'exit code 127 (V is not set)'],
] as const) {
  test(`a failure of ${command} with ${words.join(' ') || 'no parameters'} is reported as ${result}`, async (t) => {
    const cwd = workflowDirectory(t, ci([command]));
    const env = { ...ONLY_PATH, HOME: '/' };
    const { stderr } = await cli(['workflow', 'run', 'ci', '--quiet', ...words], { cwd, env });
    assert.equal(stderr.trimEnd().split('\n').at(-1), `cli: step 'step_1' of workflow 'ci' failed with ${result}`);
  });
}

test('annotations, the job summary, JUnit and the JSON report name the missing variable', async (t) => {
  const file = ci(['echo "${V:?}"']);
  const { lines, summary, cwd } = await runIn(t, GITHUB, file, ['ci', '--report', 'report.xml']);
  const annotation = lines.find((line) => line.startsWith('::error')) ?? '';
  assert.equal(annotation.split('::')[2], "step 'step_1' of workflow 'ci' failed with exit code 127 (V is not set)");
  assert.ok(
    summary.includes(
      '| echo &#34;&#36;&#123;V&#58;&#63;&#125;&#34; | ci | **exit code 127 &#40;V is not set&#41;** | <time> |',
    ),
    summary.join('\n'),
  );
  const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
  assert.match(report, /<failure message="V is not set" type="failed">/);
  const json = await runIn(t, GITHUB, file, ['ci', '--report', 'report.json']);
  assert.match(readFileSync(join(json.cwd, 'report.json'), 'utf8'), /"reason": "V is not set"/);
});
