import assert from 'node:assert/strict';
import { lstatSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { finish, temporaryDirectory, ROOT, withoutTimes } from '../support/cli.ts';
import { checkStatedSize, TARBALL, VERSION } from '../support/package.ts';
import { tree } from '../support/processes/tree.ts';

/** A program that uses the types of the library. */
const PROGRAM = `
const project: Project = load('w.json', { files: disk });
for (const { file, line, command } of commands(project)) console.log(file + line, command.length);
const [first] = check(project, { strict: true });
const severity: 'error' | 'warning' | undefined = first?.severity;
const compiled = compile(project, 'good', { params: { A: '1' } });
if (compiled.ok) console.log(planText(compiled.plan), dryRun(compiled.plan).steps, explain(compiled.plan)[0]?.variables);
else console.log(compiled.diagnostics, severity, names(project)[0]?.certain, list(project), graph, link, parse('{}'));
const ended: Promise<RunResult> = run({ workflow: 'good', signal: new AbortController().signal });
void ended.then(({ document }) => document?.steps[0]?.exit_code);
console.log(version.length + planFormat);
`;
const NAMES =
  'check, commands, compile, disk, dryRun, explain, graph, link, list, load, names, parse, planFormat, planText, run, version';

/** Compiles programs against an installed package, and runs one with \`import\` and one with \`require\`. */
async function compilePrograms(t: TestContext, home: string): Promise<void> {
  const types = `import type { Project, RunResult } from 'workflow-plan';\n`;
  const cwd = temporaryDirectory(t, {
    'w.json': { workflows: { good: { steps: ['true'] } } },
    'one.mts': `import { ${NAMES} } from 'workflow-plan';\n${types}${PROGRAM}`,
    'two.cts': `import library = require('workflow-plan');\n${types}const { ${NAMES} } = library;${PROGRAM}`,
    'use.mjs': `import { list, load } from 'workflow-plan';\nconsole.log(list(load('w.json'))[0].name);\n`,
    'use.cjs': `const { list, load } = require('workflow-plan');\nconsole.log(list(load('w.json'))[0].name);
      require('workflow-plan/schema.json'); require('workflow-plan/schemas/list.json'); require('workflow-plan/package.json');`,
    'node_modules/.keep': '',
  });
  symlinkSync(home, join(cwd, 'node_modules/workflow-plan'));
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const flags = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--types',
    'node',
    '--typeRoots',
    join(ROOT, 'node_modules/@types'),
  ];
  for (const [kind, ...files] of [
    ['nodenext', 'one.mts', 'two.cts'],
    ['bundler', 'one.mts'],
  ] as const) {
    const module = kind === 'bundler' ? ['--module', 'esnext', '--moduleResolution', 'bundler'] : ['--module', kind];
    const { stdout } = await finish(compiler, [...flags, ...module, ...files], { cwd });
    assert.equal(stdout, '', `${kind} ${files.join(' ')}`);
  }
  for (const file of ['use.mjs', 'use.cjs']) {
    assert.deepEqual(await finish(process.execPath, [file], { cwd }), {
      code: 0,
      signal: null,
      stdout: 'good\n',
      stderr: '',
    });
  }
}

test('the package contains only the bundle, has the size stated in README.md, and works once installed', async (t) => {
  const place = temporaryDirectory(t, {
    'work/.cli/workflow.json': { workflows: { good: { steps: ['true'] }, bad: { steps: ['false'] } } },
  });
  const prefix = join(place, 'prefix');
  const work = join(place, 'work');
  // Without scripts, because `prepack` would build again, and empty dist while other tests use it.
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', place];
  const packed = await finish('npm', pack, { cwd: ROOT });
  assert.equal(packed.code, 0, packed.stderr);
  assert.equal(packed.stdout, `${TARBALL}\n`);

  const tarball = join(place, TARBALL);
  checkStatedSize('package', tarball);
  const flags = ['--silent', '--no-audit', '--no-fund', '--offline', '--prefix', prefix];
  const installed = await finish('npm', ['install', '--global', ...flags, tarball], { cwd: work });
  assert.equal(installed.code, 0, installed.stdout + installed.stderr);

  const home = join(prefix, 'lib/node_modules/workflow-plan');
  const bundle = Object.keys(tree(join(ROOT, 'dist'))).map((name) => `dist/${name}`);
  assert.deepEqual(Object.keys(tree(home)), ['LICENSE', 'README.md', 'SKILL.md', ...bundle, 'package.json'].toSorted());

  await compilePrograms(t, home);

  const command = join(prefix, 'bin/cli');
  assert.ok(lstatSync(command).isSymbolicLink());
  const run = (...args: string[]) => finish(command, args, { cwd: work });
  assert.deepEqual(await run('--version'), { code: 0, signal: null, stdout: `${VERSION}\n`, stderr: '' });
  assert.deepEqual(await run('workflow', 'run', 'good', '--quiet'), {
    code: 0,
    signal: null,
    stdout: '{"workflow":"good","steps":[{"name":"step_1","command":"true","exit_code":0}],"success":true}\n',
    stderr: '',
  });
  const bad = await run('workflow', 'run', 'bad');
  assert.deepEqual(
    { ...bad, stderr: withoutTimes(bad.stderr) },
    {
      code: 1,
      signal: null,
      stdout: '{"workflow":"bad","steps":[{"name":"step_1","command":"false","exit_code":1}],"success":false}\n',
      stderr:
        "cli: step 'step_1' of workflow 'bad'\n" +
        "cli: step 'step_1' of workflow 'bad' failed with exit code 1, <time>\n" +
        'cli:   at .cli/workflow.json:1:57: false\n' +
        'cli:   for details, add --debug; for the plan, --dry-run\n' +
        "cli: workflow 'bad' failed: 1 step ran, <time>\n",
    },
  );
  const npx = [
    'exec',
    '--yes',
    '--offline',
    '--silent',
    `--cache=${join(place, 'cache')}`,
    `--package=${tarball}`,
    '--',
  ];
  const throughNpx = await finish('npm', [...npx, 'cli', 'workflow', 'run', 'bad'], { cwd: work });
  assert.deepEqual([throughNpx.code, throughNpx.stdout], [1, (await run('workflow', 'run', 'bad')).stdout]);
  assert.deepEqual(await run('workflow', 'run', 'baad'), {
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      "cli: no workflow 'baad' in .cli/workflow.json; did you mean 'bad'?\n" +
      'cli: to list the workflows: cli list --all\n',
  });
});
