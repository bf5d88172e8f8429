import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { widthOf } from '../../src/cli/output/text_width.ts';
import { COMMAND_LINE, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { linesOf, screenOf, screenOfRun } from '../support/processes/screen.ts';
import { terminal } from '../support/processes/terminal.ts';

const LONG = 'convert-the-assets-of-the-customer-portal-for-region';
const PLAIN = { NO_COLOR: '1' };

/** Replaces a truncated name, because its length depends on the width of the time next to it. */
function anyCut(line: string): string {
  return line.replace(/convert-[^ ]*…[^ ]*region(-.)? (?=failed|<time>)/, 'convert-…region$1 ');
}

/** The last lines of a failed run that is not recorded: the command to type is not broken. */
function again(workflow: string): string[] {
  return ['cli: the run was not recorded; to run all of it again:', `    cli workflow run ${workflow}`];
}

const wordsOf = (lines: readonly string[]): string => lines.join(' ').replaceAll(/\s+/g, ' ');

describe('a narrow terminal', { concurrency: 3, ...needs('python3') }, () => {
  test('lines are truncated to the width: a name in the middle, a condition at its end', async (t) => {
    const test = '[ "$STATE" = "already converted and uploaded" ] # 東京';
    const steps = [
      { name: `${LONG}-1`, run: ':' },
      { name: `${LONG}-2`, if: test, run: ':' },
    ];
    const { lines } = await screenOfRun(t, { workflows: { assets: { steps } } }, 'assets', PLAIN, 60);
    assert.deepEqual(lines.map(anyCut), [
      '▸ 1/2 convert-the-assets-of-the-cust…l-for-region-1 · assets',
      '✓ convert-…region-1 <time>',
      '– convert-the-assets…-region-2: condition failed: [ "$STATE…',
      '',
      '✓ assets succeeded: 1 step ran, 1 skipped, <time>',
      '  skipped  convert-the-ass…egion-2: condition failed: [ "$S…',
    ]);
  });

  test('the reason for another attempt is printed in full, below a truncated name', async (t) => {
    const run = '[ -e tried ] || { touch tried; exit 7; }';
    const steps = [{ name: LONG, run, retry: { max_attempts: 2, delay: '10ms' } }];
    const { lines } = await screenOfRun(t, { workflows: { w: { steps } } }, 'w', PLAIN, 60);
    assert.deepEqual(
      lines.slice(1, 4).map((line) => line.replace(/convert-.*region (?=in 2)/, 'convert-…region ')),
      [
        '↻ convert-the-assets-o…or-region failed with exit code 7',
        '    (attempt 1 of 2); retrying in 10ms',
        '✓ convert-…region in 2 attempts, <time>',
      ],
    );
  });

  test('wide characters count as two columns', async (t) => {
    const steps = [{ name: '東京のサーバーに配置して、再起動して、動作を確認する手順', run: ':' }];
    const { lines } = await screenOfRun(t, { workflows: { 配置: { steps } } }, '配置', PLAIN, 40);
    assert.equal(lines[0], '▸ 1/1 東京のサーバーに配…する手順 · 配置');
  });

  test('reading the width leaves the descriptors shared with steps unchanged', async (t) => {
    const flags = 'import fcntl, os; print([fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK for fd in range(3)])';
    const others = 'ls -l /proc/self/fd </dev/null 2>/dev/null | { grep -c /dev/pts || true; }';
    const steps = [`python3 -c '${flags}'`, others];
    const { lines } = await screenOfRun(t, { workflows: { w: { steps } } }, 'w', PLAIN, 60);
    assert.deepEqual([lines[1], lines[4]], ['[0, 0, 0]', '0']);
  });

  test('the details of a failure are printed in full, in indented lines', async (t) => {
    const run = 'echo "a long command of which nothing is missing" "$MISSING"; exit 7';
    const steps = [{ name: LONG, run }, 'true'];
    const { lines } = await screenOfRun(t, { workflows: { deploy: { steps } } }, 'deploy', PLAIN, 60);
    assert.deepEqual(lines.slice(lines.indexOf('a long command of which nothing is missing ') + 1).map(anyCut), [
      '✗ convert-…region failed with exit code 7, <time>',
      '  at .cli/workflow.json:1:34: echo "a long command of',
      '    which nothing is missing" "$MISSING"; exit 7',
      '  not set: MISSING',
      '  for details, add --debug; for the plan, --dry-run',
      '',
      '✗ deploy failed: 1 step ran, 1 not reached, <time>',
      `  failed   ${LONG}:`,
      '           exit code 7, .cli/workflow.json:1:34',
      ...again('deploy'),
    ]);
  });

  test('the counts and the slowest steps are printed in separate lines if they do not fit in one', async (t) => {
    const steps = ['a', 'b', 'c', 'd'].map((end) => ({ name: `${LONG}-${end}`, run: end === 'd' ? 'exit 1' : 'true' }));
    const name = 'a-workflow-of-a-long-name';
    const { lines } = await screenOfRun(t, { workflows: { [name]: { steps: [...steps, 'true'] } } }, name, PLAIN, 60);
    const summary = lines.slice(lines.indexOf('') + 1);
    assert.deepEqual(summary.slice(0, 4), [
      `✗ ${name} failed`,
      '  4 steps ran, 1 not reached, <time>',
      `  failed   ${LONG}-d:`,
      '           exit code 1, .cli/workflow.json:1:290',
    ]);
    assert.deepEqual(summary.slice(-2), again(name));
    const slowest = summary.slice(4, -2).map((line) => anyCut(line).replace(/region-\w/, 'region-?'));
    const [label, others] = ['  slowest  ', '           '].map((start) => `${start}convert-…region-? <time>`);
    assert.deepEqual(slowest, [label, others, others]);
  });

  test('the table of workflows has columns, with long descriptions in several lines', async (t) => {
    const description = 'Copies the database of the stage to the bucket, and tells if it is small';
    const file = {
      workflows: {
        backup: { description, steps: ['true'] },
        [LONG]: { private: true, description: 'Short', steps: ['true', 'true'] },
        東京: { description: '東京のサーバー', steps: ['true'] },
        x: { steps: ['true'] },
      },
    };
    assert.deepEqual(await screenOf(t, workflowDirectory(t, file), 60, 'workflow list --all --format table', PLAIN), [
      'backup  1 step   Copies the database of the stage to the',
      '                 bucket, and tells if it is small',
      LONG,
      '        2 steps  (private) Short',
      '東京    1 step   東京のサーバー',
      'x       1 step',
      'ended with 0',
    ]);
  });

  test('an error is wrapped into indented lines, with its mark below its position', async (t) => {
    const steps = [{ name: 'a name that takes some room', run: 'true', iff: 'X' }];
    const found = [
      ".cli/workflow.json:1:80: error: workflow 'w': step 1:",
      "    unknown field 'iff'; did you mean 'if'? see: cli help",
      '    file',
      '    1 | s some room","run":"true","iff":"X"}]}}}',
      '      |                           ^^^^^',
    ];
    const file = { workflows: { w: { steps } } };
    const counts = '.cli/workflow.json: invalid, 1 error, 0 warnings';
    const text = await screenOf(t, workflowDirectory(t, file), 60, 'workflow validate --format text', PLAIN);
    assert.deepEqual(text, [...found, counts, 'ended with 1']);
    assert.deepEqual(await screenOf(t, workflowDirectory(t, file), 60, 'workflow run w', PLAIN), [
      ...found,
      'ended with 2',
    ]);
  });

  test('lines of cli are broken at words, and their commands are not', async (t) => {
    const file = { workflows: { release: { inputs: { VERSION: {} }, steps: ['true'] } } };
    const cwd = workflowDirectory(t, file);
    const show = (words: string): Promise<string[]> => screenOf(t, cwd, 60, words, PLAIN);
    assert.deepEqual(await show('release VERSION:a-version-with-a-long-name'), [
      "cli: 'release' is a workflow; to run it:",
      '    cli run release VERSION:a-version-with-a-long-name',
      'ended with 2',
    ]);
    assert.deepEqual(await show('run release -- --verbose'), [
      "cli: nothing in workflow 'release' mentions the",
      '    arguments after \'--\'; write "$@" where they belong',
      'ended with 2',
    ]);
  });

  test('questions are broken at words, too; nothing is said about output after a step that was declined', async (t) => {
    const confirm = 'Really publish the package to everybody in the world?';
    const inputs = { VERSION: { required: true, description: 'The version of the release, in three numbers' } };
    const cwd = workflowDirectory(t, {
      workflows: { x: { inputs, steps: [{ name: 'publish', run: 'true', confirm }] } },
    });
    const command = `stty cols 50; exec ${COMMAND_LINE} run x`;
    const env = { ...PLAIN, TERM: 'xterm', CLI_NO_JOURNAL: undefined, XDG_STATE_HOME: cwd, CI: undefined };
    const screen = terminal(t, cwd, 'bash', ['-c', command], env);
    await screen.shows('numbers): ');
    screen.type('1\r');
    await screen.shows('[y/N] ');
    screen.type('n\r');
    await screen.ended;
    assert.deepEqual(linesOf(await screen.shows('to continue')), [
      'cli: VERSION (The version of the release, in',
      '    three numbers): 1',
      'run <run>',
      'cli: Really publish the package to everybody',
      '    in the world? [y/N] n',
      '✗ publish was declined',
      '',
      '✗ x failed: 0 steps ran, 1 declined, <time>',
      'cli: to continue (finished steps are kept):',
      '    cli resume <run>',
    ]);
  });

  test('help, dry runs, explanations and the table of runs are fitted to the width, and no word is broken', async (t) => {
    const run = 'echo a command that does not fit into the line of a narrow terminal';
    const file = {
      workflows: {
        'release-of-everything': { steps: [{ name: 'build', run, with: { MODE: 'a value with a source' } }] },
        fails: { steps: [{ name: LONG, run: 'exit 1' }] },
      },
    };
    const cwd = workflowDirectory(t, file);
    const show = async (columns: number, ...lines: readonly string[]): Promise<string[]> => {
      const words = lines.map((line, index) => (index === 0 ? line : `${COMMAND_LINE} ${line}`)).join('; ');
      const env = { ...PLAIN, CLI_NO_JOURNAL: '', XDG_STATE_HOME: cwd };
      return (await screenOf(t, cwd, columns, words, env)).slice(0, -1);
    };
    const plan = ['run release-of-everything -n', 'explain release-of-everything'];
    const shown = await show(60, ...plan, 'run fails --quiet 2>/dev/null', 'runs', 'init -f a.json');
    assert.ok(shown.every((line) => widthOf(line.replace('<time>', '1 ms')) <= 60));
    const timesOf = /(?<=TOOK) +(?=STEP)|(?<=failed {2})\d\d-\d\d \d\d:\d\d.*convert.*…$/;
    assert.deepEqual(
      shown.map((line) => line.replace(timesOf, ' … ').replace(/^\w{5}(?= {2}fails)|(?<=show )\w{5}$/, '<id>')),
      [
        'workflow release-of-everything',
        '  - build  echo a command that does not fit into the',
        '      line of a narrow terminal',
        'build  (step 1 of release-of-everything)',
        '  $ echo a command that does not fit into the line of a',
        '      narrow terminal',
        '  MODE=a value with a source  (with of',
        '      release-of-everything step 1)',
        'RUN    WORKFLOW  STATE   STARTED      AGE  TOOK … STEP',
        '<id>  fails     failed   … ',
        'cli: to see why: cli runs show <id>',
        'cli: to store the output next time, add --logs',
        'created a.json',
        'to list the workflows: cli list --file a.json',
        'to run a workflow: cli run hello --file a.json',
        'for coding agents: SKILL.md in the package of cli',
      ],
    );
    const help = ['--help', 'run --help', 'help file', 'help inputs', 'init --help'];
    const [narrow, wide] = [await show(60, ...help), await show(200, ...help)];
    assert.deepEqual(
      narrow.filter((line) => widthOf(line) > 60),
      [],
    );
    assert.equal(wordsOf(narrow), wordsOf(wide));
    assert.deepEqual(narrow.slice(2, 4), ['Runs workflows described in a JSON file', '    (.cli/workflow.json).']);
    // The texts of a table have at least 24 columns.
    const [beside, below] = [await show(45, 'explain --help'), await show(44, 'explain --help')];
    assert.deepEqual(beside.slice(5, 7), ['  -f, --file <path>  The workflow file', '                     (default:']);
    assert.deepEqual(below.slice(6, 8), ['  -f, --file <path>', '                    The workflow file']);
    const rows = await show(40, 'runs');
    assert.equal(rows.length, 5);
    assert.match(rows[0] ?? '', /^RUN +WO… +STATE +START?… +AGE +TOOK +ST…$/);
  });

  test('with --quiet, the last line of a recorded run says what to type', async (t) => {
    const cwd = workflowDirectory(t, { workflows: { x: { steps: ['exit 1'] } } });
    const env = { ...PLAIN, CLI_NO_JOURNAL: '', XDG_STATE_HOME: cwd };
    assert.deepEqual(await screenOf(t, cwd, 60, 'run x --quiet', env), [
      '✗ exit 1 failed with exit code 1, <time>',
      '  at .cli/workflow.json:1:29: exit 1',
      '  for details, add --debug; for the plan, --dry-run',
      'cli: to continue with exit 1 (finished steps are kept):',
      '    cli resume <run>',
      'ended with 1',
    ]);
  });
});
