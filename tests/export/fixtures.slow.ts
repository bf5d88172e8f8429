import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { runtimeText } from '../../src/export/runtime_text.ts';
import { finish, ROOT, temporaryDirectory, withoutWarnings } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { argvOf, caseOf, casesOf, withoutShell, type Case } from '../support/goldens/goldens.ts';
import { runsOf, sandbox } from '../support/goldens/pipeline.ts';
import { inProcess } from '../support/in_process.ts';
import { needs, program } from '../support/needs.ts';

const SCRIPT = 'script.sh';
const INPUT = 'one\ntwo\n';

/** Whether every run of a pipeline is compared and every script read by shellcheck, or only the most varied ones. */
const ALL = process.env['EXPORT_CASES'] !== undefined;

/** The number of runs of a pipeline, each of another workflow or with another exit code. */
const RUNS = 4;

/** The previous export. Exports in this process must not overlap. */
let last: Promise<unknown> = Promise.resolve();

/** The exported script of a workflow; undefined if the file is invalid or the workflow is unknown. */
function scriptOf(t: TestContext, cwd: string, file: string, workflow: string): Promise<string | undefined> {
  const script = last.then(() => exportIn(t, cwd, file, workflow));
  last = script.catch(() => undefined);
  return script;
}

async function exportIn(t: TestContext, cwd: string, file: string, workflow: string): Promise<string | undefined> {
  const args = ['export', '--file', file, '--', workflow];
  const { code, stdout, stderr } = await inProcess(t, args, { cwd, env: ONLY_PATH });
  assert.ok(code === 0 || code === 2, stderr);
  return code === 0 ? stdout : undefined;
}

/** The output of commands, without the lines of the tool and of the script. */
function printed(stderr: string): string[] {
  return withoutShell(stderr)
    .split('\n')
    .filter((line) => !/^(?:cli|script\.sh): /.test(line));
}

/** A fresh copy of a case's directory, in which commands may write. */
function copyOf(t: TestContext, { directory: from }: Case): string {
  const cwd = temporaryDirectory(t);
  cpSync(from, cwd, { recursive: true });
  return cwd;
}

/** A golden file, which a run has made; a missing one is empty. */
function goldenOf({ directory }: Case, file: string): string {
  const path = join(directory, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

describe('runs', { concurrency: 2 }, () => {
  for (const name of casesOf('runs')) {
    const given = caseOf('runs', name);
    const all = argvOf(given);
    const workflow = all.find((word) => !word.startsWith('--') || word === '--');
    const words = all.filter((word) => word !== workflow);
    // Scripts support neither the default workflow nor parts of workflows.
    const isForRuns = words.some((word) => word.startsWith('--') && !/^--(?:dry-run|yes)?$/.test(word));
    if (workflow === undefined || /^[A-Z]\w*[:=]/.test(workflow) || isForRuns) continue;
    test(`${name.replaceAll('-', ' ')}: the script has the same effect as the run`, needs('python3'), async (t) => {
      const script = await scriptOf(t, given.directory, given.file, workflow);
      const code = Number(goldenOf(given, 'exit.txt'));
      if (script === undefined) return assert.equal(code, 2);
      const cwd = copyOf(t, given);
      writeFileSync(join(cwd, SCRIPT), script);
      const actual = await finish('bash', [SCRIPT, ...words], { cwd, env: ONLY_PATH, input: INPUT });
      const isDryRun = words.includes('--dry-run');
      const seen = (stderr: string): string[] => (isDryRun || code === 2 ? [] : printed(stderr));
      assert.deepEqual(
        { code: actual.code, signal: actual.signal, printed: seen(actual.stderr) },
        { code, signal: null, printed: seen(withoutWarnings(goldenOf(given, 'stderr.txt'))) },
        actual.stderr,
      );
      if (!isDryRun) assert.equal(actual.stdout, '');
    });
  }
});

describe('pipelines', { concurrency: 2 }, () => {
  for (const name of casesOf('pipelines')) {
    const given = caseOf('pipelines', name);
    test(`${name.replaceAll('-', ' ')}: the script calls the same programs as the run`, needs('python3'), async (t) => {
      const [calls, codes] = [goldenOf(given, 'calls.txt').split(/(?<=\n)\n/), goldenOf(given, 'exit.txt').split('\n')];
      const tested = new Set<string>();
      for (const [index, [workflow = '', ...params]] of runsOf(given).entries()) {
        const [expected, exit = ''] = [calls[index], codes[index]];
        if (!ALL && (tested.size === RUNS || tested.has(`${workflow} ${exit}`))) continue;
        tested.add(`${workflow} ${exit}`);
        const box = sandbox(t, given, index + 1);
        const path = join(box.cwd, '..', SCRIPT);
        writeFileSync(path, (await scriptOf(t, box.cwd, '.cli/workflow.json', workflow)) ?? '');
        const { code, stderr } = await finish('bash', [path, ...params], { cwd: box.cwd, env: box.env });
        assert.deepEqual({ code: `${code}`, calls: box.calls() }, { code: exit, calls: expected }, stderr);
      }
      assert.ok(tested.size > 0);
    });
  }
});

/** The scripts of some cases, in one directory. */
async function scriptsOf(t: TestContext, groups: readonly string[]): Promise<Map<string, string>> {
  const scripts = new Map<string, string>();
  for (const group of groups) {
    for (const name of casesOf(group)) {
      const given = caseOf(group, name);
      const workflow = argvOf(given).find((word) => !word.startsWith('--')) ?? '';
      const script = await scriptOf(t, given.directory, given.file, workflow);
      if (script !== undefined) scripts.set(`${group}-${name}.sh`, script);
    }
  }
  return scripts;
}

/** The lines of a script about its workflows. The others are almost the same in all scripts. */
function workflowsOf(script: string): string {
  const [, workflows = ''] = script.split(runtimeText('start'));
  const [own = ''] = workflows.split('# The rest of this script is the same');
  assert.notEqual(own, '');
  return `#!/usr/bin/env bash\n# shellcheck disable=SC2016,SC2034,SC2154,SC2317\n${own}`;
}

test('shellcheck finds nothing in the functions that all scripts contain', needs('shellcheck'), async () => {
  const cwd = join(ROOT, 'src/export/runtime');
  // A function uses the variables of other files, and passes expressions to other programs.
  const args = ['--exclude=SC2016,SC2034,SC2154', ...readdirSync(cwd)];
  const { code, stdout } = await finish(program('shellcheck'), args, { cwd });
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '' });
});

test('shellcheck finds nothing in exported fixtures', needs('shellcheck'), async (t) => {
  const scripts = await scriptsOf(t, ['runs', 'pipelines', ...(ALL ? ['plans', 'views'] : [])]);
  assert.ok(scripts.size > 50);
  // Several cases have the same workflows.
  const parts = new Map([...scripts].map(([name, script]) => [workflowsOf(script), `workflows-${name}`]));
  // Whole scripts take a second each: only the most varied ones, or all of them on demand.
  const whole = [...scripts].filter(([name]) => ALL || WHOLE.has(name));
  assert.ok(whole.length >= WHOLE.size);
  const files = [...Array.from(parts, ([text, name]) => [name, text] as const), ...whole];
  const cwd = temporaryDirectory(t, Object.fromEntries(files));
  const names = files.map(([name]) => name);
  const { code, stdout } = await finish(program('shellcheck'), names, { cwd });
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '' });
});

/** The scripts with all functions, and with the fewest. */
const WHOLE = new Set(['runs-confirm-with-yes.sh', 'runs-success.sh', 'runs-inputs.sh']);
