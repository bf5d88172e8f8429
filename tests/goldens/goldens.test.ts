import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { html } from '../../src/cli/reporters/file/html_report.ts';
import { junit } from '../../src/cli/reporters/file/junit_report.ts';
import { PLAN_FORMAT } from '../../src/ir/plan.ts';
import { approvalLines } from '../../src/cli/run_data/agents/approval_text.ts';
import { disassemble } from '../../src/ir/views/disassembly.ts';
import { temporaryDirectory, withoutAnnouncements, type CommandResult } from '../support/cli.ts';
import { inProcess, quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { argvOf, FIXTURES, nonEmpty, testGoldens, UPDATE, withoutShell } from '../support/goldens/goldens.ts';
import type { Case, Group } from '../support/goldens/goldens.ts';
import { planTypes } from '../support/goldens/plan_types.ts';
import { linkedPlanOf, planOf } from '../support/plans.ts';
import { compareObservers } from '../support/runs/observers.ts';
import { reportIn, retimed } from '../support/goldens/report.ts';

/** Runs wait for their processes. The other cases share the process and current directory of the tests. */
const CONCURRENCY = { runs: 4, others: 1 };

/** The environment in which plans are shown. */
const ENVIRONMENT = { STAGE: 'of the process' };

const validation = (name: string): Group => ({
  name,
  inputs: [],
  outputs: ['validate.json', 'stderr.txt'],
  produce: async ({ directory, file }, t) => {
    const args = ['workflow', 'validate', '--file', file, '--pretty'];
    const { code, signal, stdout, stderr } = await inProcess(t, args, { cwd: directory });
    assert.deepEqual({ code, signal }, { code: name === 'invalid' ? 1 : 0, signal: null });
    // Realistic files must not cause warnings.
    if (name === 'realistic') assert.equal(stderr, '');
    return nonEmpty({ 'validate.json': stdout, 'stderr.txt': stderr });
  },
});

const groups: readonly Group[] = [
  {
    name: 'plans',
    inputs: ['argv.txt'],
    outputs: ['plan.txt'],
    produce: async (given) => nonEmpty({ 'plan.txt': `${[...disassemble(await planOf(given))].join('\n')}\n` }),
  },
  {
    name: 'views',
    inputs: ['argv.txt'],
    outputs: ['graph.mmd', 'graph.dot', 'explain.txt', 'approval.txt', 'stderr.txt'],
    produce: async (given, t) => {
      const { directory, file } = given;
      const [workflow = '', ...params] = argvOf(given);
      const view = async (...words: string[]): Promise<{ stdout: string; stderr: string }> => {
        const args = ['workflow', ...words, '--file', file];
        const { stdout, stderr, ...ended } = await inProcess(t, args, { cwd: directory, env: ENVIRONMENT });
        assert.deepEqual(ended, { code: 0, signal: null });
        return { stdout, stderr };
      };
      const [mermaid, dot] = [await view('graph', workflow), await view('graph', workflow, '--format', 'dot')];
      assert.equal(`${mermaid.stderr}${dot.stderr}`, '');
      const approved = { ...(await linkedPlanOf(given, ENVIRONMENT)), args: ['an argument'] };
      const explained = await view('explain', workflow, ...params);
      return nonEmpty({
        'graph.mmd': mermaid.stdout,
        'graph.dot': dot.stdout,
        'explain.txt': explained.stdout,
        'approval.txt': Array.from(approvalLines(approved), (line) => `${line}\n`).join(''),
        'stderr.txt': explained.stderr,
      });
    },
  },
  {
    name: 'simulations',
    inputs: ['argv.txt'],
    outputs: ['lines.txt', 'result.json', 'graph.mmd', 'graph.dot'],
    produce: async (given, t) => {
      const tool = async (...words: string[]): Promise<CommandResult> => {
        const finished = await inProcess(t, [...words, '--file', given.file], { cwd: given.directory });
        assert.equal(finished.code, 0, finished.stderr);
        return finished;
      };
      const argv = argvOf(given);
      const document = await tool('workflow', 'run', ...argv, '--dry-run', '--pretty');
      const [mermaid, dot] = [await tool('graph', ...argv), await tool('graph', ...argv, '--format', 'dot')];
      assert.equal((await tool('run', ...argv, '-n')).stdout, document.stderr);
      return nonEmpty({
        'lines.txt': document.stderr,
        'result.json': document.stdout,
        'graph.mmd': mermaid.stdout,
        'graph.dot': dot.stdout,
      });
    },
  },
  {
    name: 'comparisons',
    inputs: ['argv.txt', 'before.json'],
    outputs: ['diff.txt', 'diff.json', 'diff.md'],
    produce: async (given, t) => {
      const tool = (...words: string[]): Promise<CommandResult> =>
        inProcess(t, ['diff', ...argvOf(given), '--file', given.file, ...words], { cwd: given.directory });
      const [text, document] = [await tool(), await tool('--format', 'json', '--pretty')];
      const markdown = await tool('--format', 'markdown');
      assert.deepEqual([document.code, markdown.code], [text.code, text.code]);
      assert.equal(`${text.stderr}${document.stderr}${markdown.stderr}`, '');
      return nonEmpty({ 'diff.txt': text.stdout, 'diff.json': document.stdout, 'diff.md': markdown.stdout });
    },
  },
  {
    name: 'plan_files',
    inputs: ['argv.txt', 'before.plan'],
    outputs: ['now.plan', 'check.txt', 'check.json', 'stderr.txt'],
    produce: async (given, t) => {
      const tool = (...words: string[]): Promise<CommandResult> =>
        inProcess(t, ['plan', ...words, '--file', given.file], { cwd: given.directory });
      const now = await tool(...argvOf(given));
      const text = await tool('--check', 'before.plan');
      const document = await tool('--check', 'before.plan', '--format', 'json', '--pretty');
      assert.deepEqual([now.code, text.code], [0, document.code]);
      assert.equal(document.stderr, text.stderr);
      return nonEmpty({
        'now.plan': now.stdout,
        'check.txt': text.stdout,
        'check.json': document.stdout,
        'stderr.txt': text.stderr,
      });
    },
  },
  validation('invalid'),
  validation('warnings'),
  validation('realistic'),
  {
    name: 'runs',
    inputs: ['argv.txt'],
    outputs: ['result.json', 'stderr.txt', 'exit.txt'],
    produce: async (given: Case, t) => {
      const cwd = temporaryDirectory(t);
      const files = ['--events', join(cwd, 'events'), '--report', join(cwd, 'report.json'), '--report-lines', '0'];
      const words = argvOf(given);
      const args = ['workflow', 'run', '--file', given.file, '--pretty', ...words];
      if (!words.includes('--dry-run')) args.push(...files);
      const input = 'one\ntwo\n';
      const runs = join(cwd, 'runs');
      const env = { ...ONLY_PATH, CLI_NO_JOURNAL: undefined, CLI_RUNS_DIR: runs };
      const finished = await cliWithAnnouncements(args, { cwd: given.directory, env, input });
      assert.equal(finished.signal, null);
      const { code, stdout } = finished;
      const stderr = finished.stderr.replace(/^cli: to continue.*: cli resume --last\n/m, '');
      // Some of the runs do not start.
      if (existsSync(join(cwd, 'events'))) await compareObservers(t, { cwd, stdout, stderr, runs });
      return nonEmpty({
        'result.json': stdout,
        'stderr.txt': withoutShell(withoutAnnouncements(stderr)),
        'exit.txt': `${code}\n`,
      });
    },
  },
  {
    name: 'reports',
    inputs: ['argv.txt'],
    outputs: ['report.json', 'report.xml', 'report.html'],
    produce: async (given: Case, t) => {
      const path = join(temporaryDirectory(t), 'report.json');
      const args = ['workflow', 'run', '--file', given.file, '--report', path, ...argvOf(given)];
      await cliWithAnnouncements(args, { cwd: given.directory, env: ONLY_PATH });
      writeFileSync(path, withoutShell(readFileSync(path, 'utf8')));
      const report = retimed(reportIn(path, ''));
      return nonEmpty({
        'report.json': `${JSON.stringify(report, undefined, 2)}\n`,
        'report.xml': [...junit(report)].join(''),
        'report.html': [...html(report)]
          .join('')
          .replace(/sha256-[^']*/, '…')
          .replace(/<style>.*<\/style>/s, '<style>…</style>'),
      });
    },
  },
];

test('every directory of fixtures is a group of cases', () => {
  // The other directories have tests of their own.
  const others = ['beside', 'imports', 'json_path', 'output_modes', 'pipelines', 'plan_format', 'step_references'];
  const known = new Set([...groups.map(({ name }) => name), ...others]);
  assert.deepEqual(new Set(readdirSync(FIXTURES)), known);
});

test('a change of the types of the plan requires a new format number', () => {
  const path = join(FIXTURES, 'plan_format/types.txt');
  const [number, ...types] = readFileSync(path, 'utf8').split('\n');
  const now = planTypes();
  const isChanged = types.join('\n') !== now;
  const hint = 'the types of the plan have changed: raise PLAN_FORMAT in src/ir/plan.ts, then run npm run goldens';
  assert.ok(!isChanged || number !== `plan format ${PLAN_FORMAT}`, hint);
  if (UPDATE) writeFileSync(path, `plan format ${PLAN_FORMAT}\n${now}`);
  assert.equal(readFileSync(path, 'utf8'), `plan format ${PLAN_FORMAT}\n${now}`);
});

for (const group of groups) {
  const concurrency = group.name === 'runs' ? CONCURRENCY.runs : CONCURRENCY.others;
  describe(group.name, { concurrency }, () => testGoldens(group));
}
