/* Names that differ only in case, on a file system that ignores it. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { nameOnDisk } from '../../src/backend/system/name_on_disk.ts';
import { COMMAND, finish, temporaryDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { CASELESS, CASELESS_ENTER } from '../support/without_proc/namespace.ts';

const OPTIONS = { ...needs('ntfs-3g'), ...CASELESS };

/** The output of a shell script on that file system. In it, `cli` is the tool, and `file NAME` writes a JSON file. */
async function scriptOutput(t: TestContext, script: string, file: object, others: object = {}): Promise<string> {
  const tool = COMMAND.map((word) => `'${word}'`).join(' ');
  const all = Object.entries({ '.cli/workflow.json': file, ...others });
  const writes = all.map(([path, value]) => `cat >'${path}' <<'EOF'\n${JSON.stringify(value)}\nEOF\n`);
  const text = `mkdir .cli\n${writes.join('')}cli() { ${tool} "$@"; }\n${script}`;
  const env = { CLI_NO_JOURNAL: undefined, XDG_STATE_HOME: temporaryDirectory(t) };
  const { code, stdout, stderr } = await finish('sh', [CASELESS_ENTER, 'bash', '-c', text], { cwd: '/', env });
  assert.equal(code, 0, stderr);
  return stdout;
}

test('two includes whose paths differ in case are one file, also in a circle', OPTIONS, async (t) => {
  const file = { include: { a: 'Lib.json', b: 'LIB.json' }, workflows: {} };
  const lib = { include: { again: 'lIB.json' }, workflows: { x: { step: [] } } };
  const printed = await scriptOutput(t, 'cli validate || true', file, { '.cli/lib.json': lib });
  const errors = printed.split('\n').filter((line) => line.includes('error: '));
  assert.deepEqual(
    errors.map((line) => line.replace(/^.*error: /, '')),
    [
      'circular include: .cli/Lib.json -> .cli/lIB.json',
      "workflow 'a:x': unknown field 'step'; did you mean 'steps'? see: cli help file",
    ],
  );
});

test('sources, and what steps make, are the same files in another case', OPTIONS, async (t) => {
  const made = { name: 'make', run: 'cat src/A >src/out; echo made', sources: ['SRC/**'], generates: ['src/OUT'] };
  const used = { name: 'use', run: 'cat SRC/out; echo used', sources: ['Src/Out'], generates: ['COPY'] };
  const file = { workflows: { ci: { steps: [{ ...made }, { ...used, run: `${used.run}; cp src/out copy` }] } } };
  const script = `mkdir src; echo 1 >src/a; cli run ci 2>&1 | grep -c -x -e made -e used
cli run ci 2>&1 | grep -c -x -e made -e used
echo 2 >src/a; cli run ci 2>&1 | grep -x -e made -e used; cli status ci | grep -c 'up to date'`;
  assert.equal(await scriptOutput(t, script, file), '2\n0\nmade\nused\n2\n');
});

function step(name: string): object {
  return { name, run: `echo ${name} ran`, sources: ['.cli/workflow.json'], generates: [] };
}

test('locks, states and records whose names differ in case are two', OPTIONS, async (t) => {
  const inner = `${COMMAND.map((word) => `'${word}'`).join(' ')} run b --no-wait -q 2>&1`;
  const file = {
    workflows: {
      a: { lock: 'Deploy', steps: [inner, step('S')] },
      b: { lock: 'deploy', steps: [step('s')] },
      B: { lock: 'DEPLOY', steps: ['false'] },
    },
  };
  const script = `cli run a 2>&1 | grep ' ran$'; cli run a 2>&1 | grep ' ran$'; cli run B 2>/dev/null; cli run b -q 2>&1
cli runs list --format json | tr , '\\n' | grep -c '"id"'`;
  assert.equal(await scriptOutput(t, script, file), 's ran\nS ran\n6\n');
});

test('two names that differ only in normal form are one where the file system takes them for one', (t) => {
  const composed = 'Café.json'.normalize('NFC');
  const directory = temporaryDirectory(t, { [composed]: {} });
  const other = join(directory, composed.normalize('NFD'));
  assert.equal(nameOnDisk(other), other);
  // No file system here ignores the normal form.
  const real = fs.lstatSync;
  t.mock.method(fs, 'lstatSync', (path: string, options: object) => real(path.normalize('NFC'), options));
  syncBuiltinESMExports();
  assert.deepEqual(
    [nameOnDisk(other), nameOnDisk(join(directory, composed))],
    Array(2).fill(join(directory, composed)),
  );
  t.mock.restoreAll();
  syncBuiltinESMExports();
});
