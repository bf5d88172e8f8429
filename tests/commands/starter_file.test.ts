import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';

const CREATED = 'created .cli/workflow.json\n';
const SCHEMA = 'created .cli/schema.json, the schema for editors; it belongs in the repository\n';
const REFUSED = 'cli: cannot write .cli/workflow.json: it exists already\ncli: no file was created\n';

function convert(name: string): string {
  return `to convert ${name} instead: cli init --from ${name}\n`;
}

function next(run: string): string {
  return `to list the workflows: cli list\nto run a workflow: cli run ${run}\nfor coding agents: SKILL.md in the package of cli\n`;
}

test('init describes the schema, and shows how to convert the files of other tools instead', async (t) => {
  const cwd = temporaryDirectory(t, {
    'package.json': { scripts: { build: 'echo built' } },
    Makefile: 'all:\n\techo ok\n',
    justfile: '',
    'Taskfile.yml': '',
  });
  const others = ['justfile', 'Taskfile.yml', 'Makefile', 'package.json'].map((name) => convert(name)).join('');
  const { code, stdout } = await cli(['init'], { cwd });
  assert.deepEqual([code, stdout], [0, `${CREATED}${SCHEMA}${others}${next('hello')}`]);
  const converted = await cli(['init', '--from', 'package.json'], { cwd });
  assert.deepEqual([converted.code, converted.stdout, converted.stderr], [0, `${CREATED}${next('build')}`, '']);
  assert.equal((await cli(['list'], { cwd })).stdout, 'build  1 step  npm run build\n');
});

test('init --from replaces no starter file that was edited, and none that cannot be converted', async (t) => {
  const cwd = temporaryDirectory(t, { 'package.json': { scripts: { build: 'echo built' } }, 'other.json': '{}' });
  await cli(['init'], { cwd });
  const path = join(cwd, '.cli/workflow.json');
  const starter = readFileSync(path, 'utf8');
  assert.equal(
    (await cli(['init', '--from', 'other.json'], { cwd })).stderr,
    'cli: other.json has no scripts that can be run; no file was created\n',
  );
  assert.equal(readFileSync(path, 'utf8'), starter);
  assert.equal((await cli(['init'], { cwd })).stderr, REFUSED);
  for (const edited of [`${starter}\n`, starter.replace('Greet', 'Welcome'), starter.replace('"NAME"', '"WHO"')]) {
    writeFileSync(path, edited);
    assert.equal((await cli(['init', '--from', 'package.json'], { cwd })).stderr, REFUSED);
    assert.equal(readFileSync(path, 'utf8'), edited);
  }
});
