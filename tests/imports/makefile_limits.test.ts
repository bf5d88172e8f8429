/* Makefiles whose references are too deep, or expand to more than a memory holds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';

/** A text inside of 1000 references of make. */
function nested(open: string): string {
  return `${open.repeat(1000)}x${')'.repeat(1000)}`;
}

for (const [what, value, reference, reason] of [
  ['variables that double', 'x'.repeat(1000), '$(V30)', 'the references of the file expand to more than 64 MiB'],
  ['empty variables that double', '', '$(V30)', 'the references of the file expand to more than 64 MiB'],
  [
    'a function that multiplies',
    'x '.repeat(20_000),
    '$(addprefix $(V0),$(V0))',
    'it calls a function with more than 32 KiB of text',
  ],
  [
    'a substitution that multiplies',
    'x '.repeat(20_000),
    '$(V0:x=$(V0))',
    'it calls a function with more than 32 KiB of text',
  ],
] as const) {
  test(`a Makefile with ${what} leaves the target out that uses them`, async (t) => {
    const doubled = Array.from({ length: 30 }, (_, index) => `V${index + 1} = $(V${index})$(V${index})\n`).join('');
    const text = `V0 = ${value}\n${doubled}.PHONY: all a\nall:\n\techo ok\na:\n\techo ${reference}\n`;
    const cwd = temporaryDirectory(t, { Makefile: text });
    const { code, stderr } = await cli(['workflow', 'init', '--from', 'Makefile', '--no-fallback'], { cwd });
    assert.deepEqual([code, stderr], [0, `cli: warning: Makefile:35: target 'a' is left out: ${reason}\n`]);
  });
}

test('a Makefile with deeply nested functions and names of variables leaves their targets out', async (t) => {
  const rules = ['all:\n\techo ok', `a:\n\techo ${nested('$(subst a,b,')}`, `b:\n\techo ${nested('$(')}`];
  const cwd = temporaryDirectory(t, { Makefile: `.PHONY: all a b\n${rules.join('\n')}\n` });
  const { code, stderr } = await cli(['workflow', 'init', '--from', 'Makefile', '--no-fallback'], { cwd });
  const reason = 'it has references more than 50 levels deep';
  const warning = (line: number, name: string): string =>
    `cli: warning: Makefile:${line}: target '${name}' is left out: ${reason}\n`;
  assert.deepEqual([code, stderr], [0, warning(4, 'a') + warning(6, 'b')]);
});

test('a Makefile with defaults that refer to each other leaves the target out that uses them', async (t) => {
  const text = 'A ?= $(B)\nB ?= $(A)\n.PHONY: all a\nall:\n\techo ok\na:\n\techo $(A)\n';
  const cwd = temporaryDirectory(t, { Makefile: text });
  const { code, stderr } = await cli(['workflow', 'init', '--from', 'Makefile', '--no-fallback'], { cwd });
  const warning = "cli: warning: Makefile:6: target 'a' is left out: the variable 'B' refers to itself\n";
  assert.deepEqual([code, stderr], [0, warning]);
});
