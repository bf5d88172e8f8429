import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { GITHUB, GITLAB, runIn } from '../support/goldens/ci_job.ts';
import { cli, cliWithAnnouncements, COMMAND_LINE, workflowDirectory } from '../support/cli.ts';

const FILE = {
  workflows: {
    deploy: {
      steps: [
        { name: 'build', run: 'printf unfinished' },
        { name: 'publish', if: 'PUBLISH', run: 'exit 1' },
        { name: 'upload', run: 'echo uploading; exit 3' },
        'true',
      ],
    },
  },
};

const PLAIN = [
  "cli: step 'build' of workflow 'deploy'",
  "unfinishedcli: step 'build' of workflow 'deploy' succeeded, <time>",
  "cli: skipped step 'publish' of workflow 'deploy': PUBLISH is not set",
  "cli: step 'upload' of workflow 'deploy'",
  'uploading',
  "cli: step 'upload' of workflow 'deploy' failed with exit code 3, <time>",
  'cli:   at .cli/workflow.json:1:126: echo uploading; exit 3',
  'cli:   for details, add --debug; for the plan, --dry-run',
  "cli: workflow 'deploy' failed: 2 steps ran, 1 skipped, 1 not reached, <time>",
];

const SUMMARY = [
  'cli: x deploy failed: 2 steps ran, 1 skipped, 1 not reached, <time>',
  'cli:   failed   upload: exit code 3, .cli/workflow.json:1:126',
  'cli:   skipped  publish: PUBLISH is not set',
  'cli:   slowest  <steps>',
];

const ANNOTATION =
  "::error file=.cli/workflow.json,line=1,col=126::step 'upload' of workflow 'deploy' failed with exit code 3";

const TABLE = [
  '### deploy failed after <time>',
  '',
  '| Step | Workflow | Result | Time |',
  '| --- | --- | --- | ---: |',
  '| build | deploy | ok | <time> |',
  '| publish | deploy | skipped: PUBLISH is not set | |',
  '| upload | deploy | **exit code 3** | <time> |',
  '',
  '<details open>',
  '<summary>Last lines of upload</summary>',
  '',
  '<pre>',
  'uploading',
  '</pre>',
  '</details>',
  '',
  'Steps not reached: 1',
  '',
  '',
];

describe('in a job of a CI service', { concurrency: 3 }, () => {
  test('GitHub receives a group for each step, an annotation at the failed step, and a job summary', async (t) => {
    const { lines, summary, stdout } = await runIn(t, GITHUB, FILE, ['deploy']);
    assert.deepEqual(lines, [
      '::group::1/4 build - deploy',
      'unfinished',
      '::endgroup::',
      'cli: ok build <time>',
      'cli: - publish: PUBLISH is not set',
      '::group::3/4 upload - deploy',
      'uploading',
      '',
      '::endgroup::',
      'cli: x upload failed with exit code 3, <time>',
      'cli:   at .cli/workflow.json:1:126: echo uploading; exit 3',
      'cli:   for details, add --debug; for the plan, --dry-run',
      ANNOTATION,
      '',
      ...SUMMARY,
    ]);
    assert.deepEqual(summary, TABLE);
    assert.equal(
      stdout,
      '{"workflow":"deploy","steps":[{"name":"build","command":"printf unfinished","exit_code":0},' +
        '{"name":"upload","command":"echo uploading; exit 3","exit_code":3}],"success":false}\n',
    );
  });

  test('GitLab receives a section with a unique name for each step', async (t) => {
    const { lines, summary } = await runIn(t, GITLAB, FILE, ['deploy']);
    assert.deepEqual(lines, [
      '\x1b[0Ksection_start:<now>:cli_<pid>_1\r\x1b[0K1/4 build - deploy',
      'unfinished',
      '\x1b[0Ksection_end:<now>:cli_<pid>_1\r\x1b[0K',
      'cli: ok build <time>',
      'cli: - publish: PUBLISH is not set',
      '\x1b[0Ksection_start:<now>:cli_<pid>_2\r\x1b[0K3/4 upload - deploy',
      'uploading',
      '',
      '\x1b[0Ksection_end:<now>:cli_<pid>_2\r\x1b[0K',
      'cli: x upload failed with exit code 3, <time>',
      'cli:   at .cli/workflow.json:1:126: echo uploading; exit 3',
      'cli:   for details, add --debug; for the plan, --dry-run',
      '',
      ...SUMMARY,
    ]);
    assert.deepEqual(summary, []);
  });

  for (const [service, env] of Object.entries({ GITHUB, GITLAB })) {
    test(`with --no-ci ${service} is treated as any other machine`, async (t) => {
      const { lines, summary } = await runIn(t, { ...env, TOKEN: 'secret' }, FILE, ['deploy', '--no-ci']);
      assert.deepEqual({ lines, summary }, { lines: PLAIN, summary: [] });
    });
  }

  test('--quiet and --debug omit groups, but not the annotation and the job summary', async (t) => {
    const quiet = await runIn(t, GITHUB, FILE, ['deploy', '--quiet']);
    assert.deepEqual(quiet.lines, ['unfinisheduploading', ...PLAIN.slice(5, 8), ANNOTATION]);
    assert.deepEqual(quiet.summary, TABLE);
    const debug = await runIn(t, GITHUB, FILE, ['deploy', '--debug']);
    assert.deepEqual(
      debug.lines.filter((line) => line.startsWith('::')),
      [ANNOTATION],
    );
  });

  test('a step after nested groups of steps has a group of its own', async (t) => {
    const steps = [{ parallel: ['true', { parallel: ['true'] }] }, { name: 'after', run: 'echo last' }];
    const { lines } = await runIn(t, GITHUB, { workflows: { w: { steps } } }, ['w']);
    assert.deepEqual(lines.slice(lines.indexOf('::group::3/3 after - w'), -1), [
      '::group::3/3 after - w',
      'last',
      '',
      '::endgroup::',
      'cli: ok after <time>',
      '',
      'cli: ok w succeeded: 3 steps ran, <time>',
    ]);
  });

  test('a command to GitHub begins a line after an unterminated one, and only then is a line break added', async (t) => {
    const steps = [`printf '"first"'`, `echo '"second"'`].map((run, index) => {
      return { name: `${index}`, run, outputs: { TOKEN: '$' } };
    });
    const file = { workflows: { w: { steps: [...steps, { if: 'printf c', run: 'printf d' }] } } };
    const masks = ['"first"', '::add-mask::first', '"second"', '::add-mask::second', 'cd'];
    const quiet = await runIn(t, GITHUB, file, ['w', '--quiet']);
    assert.deepEqual(quiet.lines, masks);
    const folded = await runIn(t, GITHUB, file, ['w']);
    const last = folded.lines.indexOf('c');
    assert.deepEqual(folded.lines.slice(last, last + 3), ['c', '::group::3/3 printf d - w', 'd']);
    // Without a job summary nothing is recorded: the tool does not see the end of the output, and breaks any line.
    const unseen = await runIn(t, { ...GITHUB, GITHUB_STEP_SUMMARY: '' }, file, ['w', '--quiet']);
    assert.deepEqual(unseen.lines, [...masks.slice(0, 3), '', ...masks.slice(3)]);
  });

  test('every command that reads a file annotates its mistakes on GitHub, and `validate` in every format', async (t) => {
    const cwd = workflowDirectory(t, { workflows: { w: { steps: [{ run: 'true', dri: 'x' }] } }, env: { A: '$B' } });
    const annotated = async (words: readonly string[], env: typeof GITHUB | typeof GITLAB): Promise<string[]> => {
      const { stderr } = await cli(words, { cwd, env });
      return stderr.split('\n').filter((line) => line.startsWith('::'));
    };
    const expected = await annotated(['list'], GITHUB);
    assert.match(
      expected.join('\n'),
      /^::error file=\.cli\/workflow\.json,line=1,col=43,title=Workflow 'w'::.*\n::warning file=\.cli\/workflow\.json,/,
    );
    const formats = ['text', 'json', 'gitlab'].map((format) => ['validate', '--format', format]);
    for (const words of [...formats, ['workflow', 'validate'], ['run', 'w']]) {
      assert.deepEqual(await annotated(words, GITHUB), expected, words.join(' '));
      assert.deepEqual(await annotated(words, GITLAB), []);
    }
    assert.deepEqual(await annotated(['validate', '--no-ci'], GITHUB), []);
  });

  test('the annotation has the path of the file from the root of the repository', async (t) => {
    const cwd = workflowDirectory(t, {});
    const sub = workflowDirectory(t, {});
    execFileSync('mkdir', ['-p', join(cwd, 'a,b:c')]);
    execFileSync('bash', ['-c', 'echo \'{"workflows":{"w":{"steps":["exit 3"]}}}\' >"$0/a,b:c/f%.json"', cwd]);
    const env = { ...GITHUB, GITHUB_WORKSPACE: cwd };
    const errors = async (path: string, from: string, input = ''): Promise<string[]> => {
      const { stderr } = await cliWithAnnouncements(['workflow', 'run', 'w', '--file', path], {
        cwd: from,
        env,
        input,
      });
      return stderr.split('\n').filter((line) => line.startsWith('::error'));
    };
    const message = "step 'step_1' of workflow 'w' failed with exit code 3";
    const annotation = `::error file=a%2Cb%3Ac/f%25.json,line=1,col=29::${message}`;
    assert.deepEqual(await errors('f%.json', join(cwd, 'a,b:c')), [annotation]);
    assert.deepEqual(await errors(join(cwd, 'a,b:c/f%.json'), sub), [annotation]);
    assert.deepEqual(await errors('-', sub, '{"workflows":{"w":{"steps":["exit 3"]}}}'), [`::error::${message}`]);
  });

  test('a run inside a step starts no groups, because GitHub does not nest them', async (t) => {
    const inner = `${COMMAND_LINE} workflow run inner`;
    const file = { workflows: { outer: { steps: [inner] }, inner: { steps: ['echo work'] } } };
    const { lines, summary } = await runIn(t, GITHUB, file, ['outer']);
    assert.deepEqual(lines.slice(0, 8), [
      `::group::1/1 ${COMMAND_LINE} workflow run inner - outer`,
      'cli: > 1/1 echo work - inner',
      'work',
      'cli: ok echo work <time>',
      '',
      'cli: ok inner succeeded: 1 step ran, <time>',
      '{"workflow":"inner","steps":[{"name":"step_1","command":"echo work","exit_code":0}],"success":true}',
      '',
    ]);
    assert.deepEqual(
      summary.filter((line) => line.startsWith('#')),
      ['### inner succeeded after <time>', '### outer succeeded after <time>'],
    );
  });

  test('a job summary has at most 1,000 rows', async (t) => {
    const steps = Array.from({ length: 1002 }, (_, index) => ({ name: `s${index}`, if: 'NEVER', run: 'true' }));
    const { summary } = await runIn(t, GITHUB, { workflows: { w: { steps } } }, ['w']);
    const rows = summary.filter((line) => line.startsWith('| s'));
    assert.deepEqual(
      [rows.length, rows.at(-1), summary.find((line) => line.startsWith('| and'))],
      [1000, '| s999 | w | skipped: NEVER is not set | |', '| and 2 more | | | |'],
    );
  });

  test('an unwritable job summary causes a warning', async (t) => {
    const file = { workflows: { w: { steps: [] } } };
    const { code, lines } = await runIn(t, { ...GITHUB, GITHUB_STEP_SUMMARY: '/nowhere/summary' }, file, ['w']);
    assert.equal(code, 0);
    assert.deepEqual(lines, [
      '',
      'cli: ok w succeeded: 0 steps ran, <time>',
      'cli: warning: cannot write the job summary: it does not exist',
    ]);
  });

  test('an interrupted run closes its group, without an annotation', async (t) => {
    const file = { workflows: { w: { steps: ['echo; kill -INT $PPID; sleep 1', 'true'] } } };
    const { lines, summary } = await runIn(t, GITHUB, file, ['w']);
    assert.deepEqual(lines.slice(0, 6), [
      '::group::1/2 echo; kill -INT $PPID; sleep 1 - w',
      '',
      '',
      '::endgroup::',
      'cli: x echo; kill -INT $PPID; sleep 1 failed with exit code 130 (terminated by SIGINT), <time>',
      '',
    ]);
    assert.equal(summary[0], '### w was interrupted by SIGINT after <time>');
  });
});
