import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';

/**
 * Converts a Makefile beside other files, without workflows that call make. Returns the warnings and the names of the
 * converted targets. Without --no-fallback, each target that is left out calls make for the same reason.
 */
async function converted(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<{ warnings: string[]; targets: string[] }> {
  const { code, warnings, targets } = await init(t, files, ['--no-fallback']);
  if (targets.length === 0)
    assert.equal(warnings.pop(), 'cli: Makefile has no targets that can be converted; no file was created');
  assert.equal(code, targets.length === 0 ? 1 : 0);
  const left = warnings.flatMap((warning) => / target '(.*)' is left out: /.exec(warning)?.[1] ?? []);
  const called = await init(t, files, []);
  assert.deepEqual(
    { ...called, targets: called.targets.toSorted() },
    {
      code: 0,
      warnings: warnings.map((warning) => warning.replace(/( target '.*') is left out: /, '$1 calls make: ')),
      targets: [...targets, ...left].toSorted(),
    },
  );
  return { warnings, targets };
}

async function init(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  flags: readonly string[],
): Promise<{ code: number | null; warnings: string[]; targets: string[] }> {
  const cwd = temporaryDirectory(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { code, stderr } = await cli(['workflow', 'init', '--from', 'Makefile', ...flags], { cwd });
  const file = join(cwd, '.cli/workflow.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return {
    code,
    warnings: stderr.trimEnd().split('\n'),
    targets: [...text.matchAll(/^ {4}"(.*)": \{$/gm)].map(([, name = '']) => name),
  };
}

test('a target is left out if an included file has a rule for it, or if its rules are computed', async (t) => {
  const makefile = 'all:\nbuild:\n\ttool build\ncheck:\n\ttool check\n.PHONY: all build check\n';
  assert.deepEqual(
    await converted(t, { Makefile: `${makefile}include rules.mk\n`, 'rules.mk': 'check all : lint\n' }),
    {
      warnings: [
        "cli: warning: Makefile:1: target 'all' is left out: 'include rules.mk' may add to it",
        "cli: warning: Makefile:4: target 'check' is left out: 'include rules.mk' may add to it",
        "cli: warning: Makefile:7: 'include rules.mk' is left out",
      ],
      targets: ['build'],
    },
  );
  assert.deepEqual(await converted(t, { Makefile: `${makefile}include $(wildcard *.inc)\n` }), {
    warnings: [
      "cli: warning: Makefile:1: target 'all' is left out: 'include $(wildcard *.inc)' may add to it",
      "cli: warning: Makefile:7: 'include $(wildcard *.inc)' is left out",
    ],
    targets: ['build', 'check'],
  });
  assert.deepEqual(await converted(t, { Makefile: `${makefile}$(eval all: build)\n` }), {
    warnings: [
      "cli: warning: Makefile:1: target 'all' is left out: '$(eval all: build)' may add to it",
      "cli: warning: Makefile:7: '$(eval all: build)' is left out",
    ],
    targets: ['build', 'check'],
  });
});

test('recipes are left out if an included file changes the shell', async (t) => {
  const files = { Makefile: 'all: build\nbuild:\n\ttool\n-include shell.mk\n', 'shell.mk': 'SHELL := /bin/zsh\n' };
  assert.deepEqual(await converted(t, files), {
    warnings: [
      "cli: warning: Makefile:1: target 'all' is left out: it needs 'build', which is not converted",
      "cli: warning: Makefile:2: target 'build' is left out: '-include shell.mk' changes how commands run",
      "cli: warning: Makefile:4: '-include shell.mk' is left out",
    ],
    targets: [],
  });
});

for (const [name, line, reason] of [
  [
    'makes a directory',
    'NOTHING := $(shell mkdir -p out)',
    "make runs a command while it reads '$(shell mkdir -p out)'",
  ],
  ['runs a command for no output', '_ := $(shell ./warn)', "make runs a command while it reads '$(shell ./warn)'"],
  ['runs a command on a line', '$(shell ./warn)', "make runs a command while it reads '$(shell ./warn)'"],
  ['may stop', '$(if $(V),,$(error V is missing))', "make may stop while it reads '$(if $(V),,$(error V is missing))'"],
] as const) {
  test(`recipes are left out if make ${name} while it reads the file`, async (t) => {
    const { warnings, targets } = await converted(t, { Makefile: `${line}\nbuild:\n\ttool build\n` });
    assert.deepEqual(targets, []);
    assert.deepEqual(warnings.at(-1), `cli: warning: Makefile:2: target 'build' is left out: ${reason}`);
  });
}

test('a variable that a command computes leaves out only the targets that use it', async (t) => {
  const makefile = 'VERSION := $(shell git describe 2>/dev/null)\na:\n\ttool $(VERSION)\nb:\n\ttool\n.PHONY: a b\n';
  assert.deepEqual((await converted(t, { Makefile: makefile })).targets, ['b']);
});

test('functions of make and replaced ends of words become the words that make inserts', async (t) => {
  const cwd = temporaryDirectory(t);
  const lines = [
    'FILES = src/a.c b.c c.h',
    '.PHONY: all',
    'all:',
    '\techo $(FILES:.c=.o) $(FILES:%.c=obj/%.o)',
    '\techo $(patsubst %.c,%.o,$(FILES)) $(filter %.c,$(FILES)) $(filter-out %.c,$(FILES))',
    '\techo $(notdir $(FILES)) $(dir $(FILES)) $(basename b.c) $(suffix $(FILES)) $(words $(FILES)) $(word 2,$(FILES))',
    '\techo $(firstword $(FILES)) $(lastword $(FILES)) $(addprefix x,b.c) $(addsuffix x,b.c) $(subst a,o,a b)',
  ];
  writeFileSync(join(cwd, 'Makefile'), `${lines.join('\n')}\n`);
  const { code } = await cli(['workflow', 'init', '--from', 'Makefile', '--no-fallback'], { cwd });
  assert.equal(code, 0);
  const text = readFileSync(join(cwd, '.cli/workflow.json'), 'utf8');
  assert.deepEqual(
    [...text.matchAll(/"(echo .*?)"/g)].map(([, command]) => command),
    [
      'echo src/a.o b.o c.h obj/src/a.o obj/b.o c.h',
      'echo src/a.o b.o c.h src/a.c b.c c.h',
      'echo a.c b.c c.h src/ ./ ./ b .c .c .h 3 b.c',
      'echo src/a.c c.h xb.c b.cx o b',
    ],
  );
});
