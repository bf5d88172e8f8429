import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { COMMAND, finish, temporaryDirectory, withoutTimes } from '../support/cli.ts';
import { refused } from '../support/project.ts';
import { checkStatedSize, VERSION } from '../support/package.ts';

test('the executable works alone in an empty directory, with only a shell in PATH', async (t) => {
  const place = temporaryDirectory(t, {
    'work/.cli/workflow.json': { workflows: { good: { steps: ['echo "${X:-}"'] }, bad: { steps: ['exit 3'] } } },
    // Bun reads these by default.
    'work/.env': 'X=from .env\n',
    'work/bunfig.toml': 'preload = ["./nosuch.ts"]\n',
  });
  const [alone, bin, cwd] = [join(place, 'cli'), join(place, 'bin'), join(place, 'work')];
  copyFileSync(COMMAND[0], alone);
  mkdirSync(bin);
  symlinkSync('/bin/bash', join(bin, 'bash'));
  const own = Object.keys(process.env).map((name) => [name, undefined]);
  const env = { ...Object.fromEntries(own), PATH: bin };
  const run = (...args: string[]) => finish(alone, args, { cwd, env });

  assert.deepEqual(await run('--version'), { code: 0, signal: null, stdout: `${VERSION}\n`, stderr: '' });
  const { stdout: help, ...ended } = await run('--help');
  assert.deepEqual(ended, { code: 0, signal: null, stderr: '' });
  assert.equal(help.split('\n')[0], 'cli <command>');
  const { stderr, ...good } = await run('workflow', 'run', 'good');
  assert.deepEqual(good, {
    code: 0,
    signal: null,
    stdout:
      '{"workflow":"good","steps":[{"name":"step_1","command":"echo \\"${X:-}\\"","exit_code":0}],"success":true}\n',
  });
  assert.equal(
    withoutTimes(stderr),
    "cli: step 'step_1' of workflow 'good'\n\n" +
      "cli: step 'step_1' of workflow 'good' succeeded, <time>\n" +
      "cli: workflow 'good' succeeded: 1 step ran, <time>\n",
  );
  const { code, signal, stdout } = await run('workflow', 'run', 'bad');
  assert.deepEqual({ code, signal }, { code: 1, signal: null });
  assert.equal(
    stdout,
    '{"workflow":"bad","steps":[{"name":"step_1","command":"exit 3","exit_code":3}],"success":false}\n',
  );
  assert.equal((await run('workflow', 'run', 'none')).code, 2);
  assert.deepEqual(
    await run('run', 'good', '--on', 'postgres://127.0.0.1/ci'),
    refused("'--on' works with the npm package only"),
  );
});

test('the contents of the executable are the packages of its licence file, Bun among them, with its libraries', () => {
  const directory = dirname(COMMAND[0]);
  const Bom = v.object({
    bomFormat: v.literal('CycloneDX'),
    metadata: v.object({ component: v.object({ name: v.string(), version: v.string() }) }),
    components: v.array(v.object({ name: v.string(), version: v.string(), purl: v.string() })),
  });
  const { metadata, components } = v.parse(Bom, JSON.parse(readFileSync(join(directory, 'cli.cdx.json'), 'utf8')));
  assert.deepEqual(metadata.component, { name: 'workflow-plan', version: VERSION });
  const licences = readFileSync(join(directory, 'THIRD_PARTY_LICENSES.txt'), 'utf8');
  const named = components.map(({ name, version }) => `${name} ${version}`);
  const headings = [...licences.matchAll(/^(\S+ \d\S*) \(.+\)$/gm)].map(([, heading = '']) => heading);
  assert.deepEqual(named.toSorted(), headings.toSorted());
  for (const part of ['- JavaScriptCore and WebCore of WebKit (LGPL-2.0)', 'GNU LIBRARY GENERAL PUBLIC LICENSE'])
    assert.ok(licences.includes(part), part);
});

test('the executable has the size stated in README.md', () => {
  checkStatedSize('executable', COMMAND[0]);
});
