/* Exported scripts in a bash 3.2, which BASH_32 names: see scripts/bash32.mjs. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, workflowDirectory } from '../../support/cli.ts';
import { argvOf, caseOf, casesOf } from '../../support/goldens/goldens.ts';
import { inProcess } from '../../support/in_process.ts';

test('each exported script says in one line that it needs a newer bash, and does nothing else', async (t) => {
  let count = 0;
  for (const name of casesOf('plans')) {
    const given = caseOf('plans', name);
    const workflow = argvOf(given).find((word) => !word.startsWith('--')) ?? '';
    const cwd = workflowDirectory(t, {});
    const file = join(given.directory, given.file);
    const { code, stdout } = await inProcess(t, ['export', workflow, '--file', file], { cwd });
    if (code !== 0) continue;
    writeFileSync(join(cwd, 'x.sh'), stdout);
    const line = 'x.sh: this script needs bash 4.4 or later (on macOS: brew install bash)\n';
    const expected = { code: 2, signal: null, stdout: '', stderr: line };
    assert.deepEqual(await finish(process.env['BASH_32'] ?? 'BASH_32', ['x.sh'], { cwd }), expected, name);
    count += 1;
  }
  assert.ok(count > 20, `${count} scripts`);
});
