/* What the library returns is what the command line prints, for every fixture. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import * as library from '../../src/api.ts';
import { argvOf, caseOf, casesOf, FIXTURES, type Case } from '../support/goldens/goldens.ts';
import { toolInProcess, type Tool } from '../support/in_process.ts';

const Findings = v.object({ findings: v.array(v.looseObject({ line: v.number() })) });
const Steps = v.object({ steps: v.array(v.unknown()) });

/** The cases with a workflow file, by group. */
const CASES = readdirSync(FIXTURES).flatMap((group) =>
  casesOf(group).flatMap((name) => {
    const directory = join(FIXTURES, group, name);
    if (!existsSync(directory) || !/^workflow\./m.test(entriesOf(directory))) return [];
    return [{ group, name, given: caseOf(group, name) }];
  }),
);

function entriesOf(directory: string): string {
  try {
    return readdirSync(directory).join('\n');
  } catch {
    // A file.
    return '';
  }
}

/** A diagnostic as a finding of `cli validate`. */
function asFinding({ endLine, endColumn, ...finding }: library.Diagnostic): unknown {
  assert.ok(endLine === finding.line && endColumn >= finding.column);
  return finding;
}

async function compareFiles(group: string, { file }: Case, tool: Tool): Promise<library.Project> {
  const project = library.load(file);
  for (const strict of group === 'warnings' ? [false, true] : [false]) {
    const flags = strict ? ['--strict'] : [];
    const { stdout } = await tool(['validate', '--format', 'json', '--file', file, ...flags]);
    const { findings } = v.parse(Findings, JSON.parse(stdout));
    assert.deepEqual(library.check(project, { strict }).map(asFinding), findings);
  }
  const { stdout } = await tool(['workflow', 'list', '--all', '--file', file]);
  if (stdout !== '') assert.deepEqual(library.list(project), JSON.parse(stdout));
  return project;
}

/** Compares the views of a plan. Lines that only people read are not compared. */
async function compareViews(t: TestContext, given: Case, project: library.Project, tool: Tool): Promise<void> {
  const [workflow = '', ...words] = existsSync(join(given.directory, 'argv.txt')) ? argvOf(given) : [];
  const isPlain = workflow !== '' && words.every((word) => /^[A-Za-z_]\w*[:=]/.test(word));
  if (!isPlain) return;
  const pairs = words.map((word) => [word.slice(0, word.search(/[:=]/)), word.slice(word.search(/[:=]/) + 1)]);
  const compiled = library.compile(project, workflow, { params: Object.fromEntries(pairs) });
  const file = ['--file', given.file];
  const planned = await tool(['plan', workflow, ...words, ...file]);
  if (!compiled.ok) {
    assert.equal(planned.stdout, '');
    t.diagnostic(compiled.diagnostics[0]?.message ?? '');
    return;
  }
  const { plan } = compiled;
  if (planned.code === 0) assert.equal(library.planText(plan), planned.stdout);
  assert.equal(library.graph(plan), (await tool(['graph', workflow, ...file])).stdout);
  assert.equal(
    library.graph(plan, { format: 'dot' }),
    (await tool(['graph', workflow, '--format', 'dot', ...file])).stdout,
  );
  const linked = library.link(plan, { files: library.disk });
  const explained = await tool(['explain', workflow, ...words, '--format', 'json', ...file]);
  const dry = await tool(['workflow', 'run', workflow, ...words, '--dry-run', ...file]);
  if (!linked.ok) {
    assert.equal(dry.code, 2);
    return;
  }
  if (explained.stdout !== '') {
    assert.deepEqual(library.explain(linked.plan), v.parse(Steps, JSON.parse(explained.stdout)).steps);
  }
  if (dry.code === 0) assert.deepEqual(library.dryRun(linked.plan), JSON.parse(dry.stdout));
}

for (const group of new Set(CASES.map((each) => each.group))) {
  test(`the library and the command line agree on the cases of ${group}`, async (t) => {
    const before = process.cwd();
    t.after(() => process.chdir(before));
    const tool = toolInProcess(t);
    for (const { name, given } of CASES.filter((each) => each.group === group)) {
      await t.test(name, async (t) => {
        process.chdir(given.directory);
        const project = await compareFiles(group, given, tool);
        await compareViews(t, given, project, tool);
      });
    }
  });
}

test('there are cases of valid files, files with errors, and files with includes', () => {
  assert.ok(CASES.length > 250);
  const projects = CASES.map(({ given }) => readFileSync(join(given.directory, given.file), 'utf8'));
  assert.ok(projects.some((text) => text.includes('"include"')));
});
