/* Files of other tools that are nested too deeply, refer to themselves, or expand to more than a memory holds. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { runOnce } from '../../src/cli/commands/init/run_once.ts';
import { cli as spawned, temporaryDirectory } from '../support/cli.ts';
import { installJust, WITH_JUST } from '../support/imports/just.ts';
import { quickCli as cli } from '../support/in_process.ts';

const DEEP = 30_000;

before(installJust);

const laughs = Array.from({ length: 60 }, (_, index) => `x${index + 1}: &x${index + 1} [*x${index}, *x${index}]\n`);
const chain = Array.from({ length: 2000 }, (_, index) => `x${index + 1}: &x${index + 1} [*x${index}]\n`);

for (const [what, text, place, problem] of [
  ['a cyclic alias', 'tasks: &a\n  b: *a\n', '2:6', "the alias '*a' contains itself"],
  ['a cyclic alias as a key', 'tasks: &a {*a : x}\n', '1:12', "the alias '*a' contains itself"],
  ['an alias without an anchor', 'tasks: {b: *a}\n', '1:12', "no anchor '&a' stands before this alias"],
  ['aliases that double', `x0: &x0 [x]\n${laughs.join('')}`, '17:12', 'the aliases expand to more than 64 MiB'],
  ['a chain of aliases', `x0: &x0 [x]\n${chain.join('')}`, '500:14', 'nested more than 500 levels deep'],
  ['deep lists', `tasks: ${'['.repeat(DEEP)}${']'.repeat(DEEP)}\n`, '1:507', 'nested more than 500 levels deep'],
  ['deep lists in lines', `tasks:\n  ${'- '.repeat(DEEP)}x\n`, '2:1001', 'nested more than 500 levels deep'],
  ['deep maps', `tasks: ${'{a: '.repeat(DEEP)}${'}'.repeat(DEEP)}\n`, '1:2004', 'nested more than 500 levels deep'],
  ['deep pairs', `tasks: ${'[a: '.repeat(DEEP)}${']'.repeat(DEEP)}\n`, '1:2004', 'nested more than 500 levels deep'],
  ['a key twice', 'tasks: {}\ntasks: {}\n', '2:1', 'Map keys must be unique'],
  ['deep keys', `${'? '.repeat(DEEP)}x\n`, '1:1001', 'nested more than 500 levels deep'],
] as const) {
  test(`a Taskfile with ${what} is rejected with the place`, async (t) => {
    const cwd = temporaryDirectory(t, { 'Taskfile.yml': text });
    const { code, stdout, stderr } = await cli(['workflow', 'init', '--from', 'Taskfile.yml'], { cwd });
    assert.deepEqual([code, stdout, stderr], [2, '', `Taskfile.yml:${place}: error: ${problem}\n`]);
    assert.equal(existsSync(join(cwd, '.cli')), false);
  });
}

function lines(length: number, line: (index: number) => string): string {
  return Array.from({ length }, (_, index) => `${line(index)}\n`).join('');
}

const EXPANDED = 'the references of the file expand to more than 64 MiB';

for (const [what, file, text, warning] of [
  [
    'functions in the replacement of others',
    'Makefile',
    `A := x\n.PHONY: a\na:\n\techo ${'$(A:x='.repeat(DEEP)}${')'.repeat(DEEP)}\n`,
    "Makefile:3: target 'a' calls make: it has references more than 50 levels deep",
  ],
  [
    'variables that double',
    'Taskfile.yml',
    `vars:\n  A0: xx\n${lines(40, (index) => `  A${index + 1}: '{{.A${index}}}{{.A${index}}}'`)}tasks:\n  a: echo {{.A40}}\n`,
    `task 'a' calls task: ${EXPANDED}`,
  ],
  [
    'a chain of computed variables',
    'Taskfile.yml',
    `vars:\n  A0: {sh: echo}\n${lines(300, (index) => `  A${index + 1}: {sh: 'echo {{.A${index}}}'}`)}tasks:\n  a: echo {{.A300}}\n`,
    "task 'a' calls task: it has references more than 50 levels deep",
  ],
  [
    'variables that double',
    'justfile',
    `A0 := "xx"\n${lines(60, (index) => `A${index + 1} := A${index} + A${index}`)}a:\n  echo {{A40}}\n`,
    `recipe 'a' calls just: ${EXPANDED}`,
  ],
  [
    'a chain of variables',
    'justfile',
    `A0 := "x"\n${lines(300, (index) => `A${index + 1} := A${index}`)}a:\n  echo {{A300}}\n`,
    "recipe 'a' calls just: it has references more than 50 levels deep",
  ],
] as const) {
  test(`a ${file} with ${what} leaves out what uses them`, async (t) => {
    const cwd = temporaryDirectory(t, { [file]: text });
    const { code, stderr } = await spawned(['workflow', 'init', '--from', file], { cwd, env: WITH_JUST });
    const reason = stderr.replaceAll(/it uses the variable '\w+', which is left out: /g, '');
    assert.deepEqual([code, reason], [0, `cli: warning: ${warning}\n`]);
  });
}

test('a justfile with a chain of recipes leaves out those with the longest way to its end', async (t) => {
  const text = `${lines(98, (index) => `t${index + 1}: t${index + 2}`)}t99:\n  echo\n`;
  const cwd = temporaryDirectory(t, { justfile: text });
  const args = ['workflow', 'init', '--from', 'justfile', '--no-fallback'];
  const { code, stderr } = await spawned(args, { cwd, env: WITH_JUST });
  const reasons = stderr.trimEnd().split('\n');
  const last = reasons.find((reason) => reason.endsWith('levels deep'));
  const warning = "cli: warning: recipe 't52' is left out: it depends on recipes more than 50 levels deep";
  assert.deepEqual([code, reasons.length, last], [0, 52, warning]);
});

for (const [what, length, reason] of [
  ['an expression that is nested too deeply', 600, "variable 'B': nested more than 500 levels deep"],
  [
    'an expression that crashes just',
    DEEP,
    'just crashed, as it does if an expression is too long; line 2 is the longest',
  ],
] as const) {
  test(`a justfile with ${what} is rejected with the reason and the place`, async (t) => {
    const text = `A := "x"\nB := ${'A + '.repeat(length)}A\na:\n  echo {{B}}\n`;
    const cwd = temporaryDirectory(t, { justfile: text });
    const { code, stderr } = await spawned(['workflow', 'init', '--from', 'justfile'], { cwd, env: WITH_JUST });
    assert.deepEqual([code, stderr], [2, `cli: cannot convert justfile: ${reason}\n`]);
  });
}

test('a package.json that is nested too deeply is rejected with the place', async (t) => {
  const text = `{"scripts":{"a":"echo"},"x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`;
  const cwd = temporaryDirectory(t, { 'package.json': text });
  const { code, stderr } = await cli(['workflow', 'init', '--from', 'package.json'], { cwd });
  assert.deepEqual([code, stderr.split('\n')[0]], [2, 'package.json:1:528: error: nested more than 500 levels deep']);
});

test('calls that are 5,000 levels deep run once, also in a workflow that calls them from two places', () => {
  const chain = Array.from({ length: 5000 }, (_, index) => {
    const call = { workflow: `t${index + 1}`, once: true } as const;
    return { name: `t${index}`, steps: [...(index === 4999 ? [] : [call]), { run: 'x' }] };
  });
  const calls = ['t2500', 't0'].map((workflow) => ({ workflow, once: true }) as const);
  const fresh = { workflow: 't0', once: 'after' } as const;
  const [all, ...others] = runOnce([{ name: 'all', steps: [...calls, fresh] }, ...chain]);
  // The second call of t0 is inlined, without what the call of t2500 has run.
  const inlined = Array.from({ length: 2500 }, () => ({ run: 'x' }));
  assert.deepEqual(all?.steps, [calls[0], ...inlined, fresh]);
  assert.deepEqual(
    others.map(({ steps }) => steps),
    chain.map(({ steps }) => steps),
  );
});
