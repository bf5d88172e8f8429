import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { GITHUB, runIn } from '../support/goldens/ci_job.ts';
import { COMMAND, COMMAND_LINE, withoutTimes, workflowDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { terminal } from '../support/processes/terminal.ts';

describe('commands to a CI service', { concurrency: 3 }, () => {
  test('GitHub receives a mask for every line of every secret, before anything runs and nowhere else', async (t) => {
    const env = { ...GITHUB, A_TOKEN: 'first%\r\n  second: ,\n\nno', PUBLIC: 'shown' };
    const steps = [{ run: 'echo "$PASSWORD"', with: { PASSWORD: 'third\rfourth' } }];
    const file = { env: { API_KEY: 'fifth' }, workflows: { w: { steps } } };
    const { lines } = await runIn(t, env, file, ['w', 'MY_SECRET:sixth', 'A_TOKEN:first%']);
    assert.deepEqual(lines.slice(0, 9), [
      "cli: warning: nothing in workflow 'w' mentions the parameter 'MY_SECRET'",
      "cli: warning: nothing in workflow 'w' mentions the parameter 'A_TOKEN'",
      '::add-mask::first%25',
      '::add-mask::second: ,',
      '::add-mask::fifth',
      '::add-mask::third',
      '::add-mask::fourth',
      '::add-mask::sixth',
      '::group::1/1 echo "$PASSWORD" - w',
    ]);
    const gitlab = await runIn(t, { ...env, GITHUB_ACTIONS: undefined, GITLAB_CI: 'true' }, file, ['w']);
    assert.ok(!gitlab.stderr.includes('first'));
    const dry = await runIn(t, env, file, ['w', '--dry-run']);
    assert.ok(!dry.stderr.includes('first'));
  });

  test(
    'a file or terminal receives no commands for a CI service, because they contain secrets',
    needs('python3'),
    async (t) => {
      const cwd = workflowDirectory(t, { workflows: { w: { steps: ['true'] } } });
      const [file, ...args] = COMMAND;
      const log = openSync(join(cwd, 'log'), 'w');
      const env = { ...GITHUB, TOKEN: 'secret' };
      execFileSync(file, [...args, 'workflow', 'run', 'w'], { cwd, env, stdio: ['ignore', 'ignore', log] });
      closeSync(log);
      const lines = ["cli: step 'step_1' of workflow 'w'", "cli: step 'step_1' of workflow 'w' succeeded, <time>"];
      const summary = "cli: workflow 'w' succeeded: 1 step ran, <time>";
      assert.equal(withoutTimes(readFileSync(join(cwd, 'log'), 'utf8')), [...lines, summary, ''].join('\n'));
      const command = `${COMMAND_LINE} workflow run w >out.json; echo ended`;
      const screen = terminal(t, cwd, 'bash', ['-c', command], env);
      const printed = withoutTimes((await screen.shows('ended')).replaceAll('\r\n', '\n'));
      assert.equal(printed, [...lines, summary, 'ended', ''].join('\n'));
    },
  );

  test('the name of a member, which precedes its lines, is no command', async (t) => {
    const names = ['::error::forged', ' ::stop-commands::x', '##[error]forged', 'a ##[group]b', '\u200b::notice::z'];
    const parallel = names.map((name) => ({ name, run: 'echo line' }));
    for (const flags of [[], ['--quiet']]) {
      const { lines } = await runIn(t, GITHUB, { workflows: { w: { steps: [{ parallel }] } } }, ['w', ...flags]);
      const own = lines.filter((line) => line.endsWith(' │ line'));
      assert.equal(own.length, names.length);
      assert.deepEqual(
        own.filter((line) => /^\s*::|##\[/.test(line)),
        [],
      );
    }
  });

  test('names, commands and paths inject neither commands nor markup', async (t) => {
    const name = '::error::a%0Ab ##[group]| </td><b>`x`_y_ \u2028z';
    const run = ': \n: "\n::error::forged"\nexit 3';
    const file = {
      workflows: {
        [name]: {
          steps: [
            { name, if: ': ::x\n: ::error::y', run: ':' },
            { name, run },
          ],
        },
      },
    };
    const { lines, summary } = await runIn(t, GITHUB, file, [name]);
    const [shown, data] = [
      '\\u003a:error::a%0Ab ##\\u005bgroup]| </td><b>`x`_y_ \\u2028z',
      '\\u003a:error::a%250Ab ##\\u005bgroup]| </td><b>`x`_y_ \\u2028z',
    ];
    const inMiddle = '::error::a%250Ab ##\\u005bgroup]| </td><b>`x`_y_ \\u2028z';
    assert.deepEqual(lines.slice(0, 12), [
      `::group::1/2 ${data} - ${data}`,
      '',
      '::endgroup::',
      `cli: ok ${shown} <time>`,
      `::group::2/2 ${data} - ${data}`,
      '',
      '::endgroup::',
      `cli: x ${shown} failed with exit code 3, <time>`,
      'cli:   at .cli/workflow.json:1:163: : …',
      'cli:   for details, add --debug; for the plan, --dry-run',
      `::error file=.cli/workflow.json,line=1,col=163::step '${inMiddle}' of workflow '${inMiddle}' failed with exit code 3`,
      '',
    ]);
    assert.deepEqual(
      lines.filter((line) => /^\s*::|##\[/.test(line) && !/^::(?:group|endgroup|error file=\.cli)/.test(line)),
      [],
    );
    const cell =
      '&#92;u003a&#58;error&#58;&#58;a&#37;0Ab &#35;&#35;&#92;u005bgroup&#93;&#124; &#60;/td&#62;&#60;b&#62;' +
      '&#96;x&#96;&#95;y&#95; &#92;u2028z';
    assert.equal(summary[4], `| ${cell} | ${cell} | ok | <time> |`);
  });

  test('a graph contains no log command of a CI service', async (t) => {
    const steps = [{ name: '##[error]forged', run: 'true' }];
    const cwd = workflowDirectory(t, { workflows: { '##[group]w': { description: '', steps } } });
    for (const [format, label] of [
      ['dot', '"##&#91;error]forged"'],
      ['mermaid', '"#35;#35;#91;error#93;forged"'],
    ]) {
      const { stdout } = await inProcess(t, ['graph', '##[group]w', '--format', format ?? ''], { cwd });
      assert.ok(stdout.includes(label ?? '') && !stdout.includes('##['), stdout);
    }
  });
});
