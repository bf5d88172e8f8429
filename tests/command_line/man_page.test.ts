import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { manPage } from '../../src/command_line/man_page.ts';
import { COMMANDS } from '../../src/command_line/spec.ts';
import { ROOT } from '../support/cli.ts';

test('the package holds the manual page of the table of commands', () => {
  assert.equal(readFileSync(join(ROOT, 'dist/cli.1'), 'utf8'), manPage());
});

test('the manual page has a section for each command, and only requests of man(7)', () => {
  const lines = manPage().split('\n');
  assert.equal(lines.filter((line) => line.startsWith('.SS ')).length, COMMANDS.length);
  const requests = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0]);
  assert.deepEqual(new Set(requests), new Set(['.TH', '.SH', '.B', '.I', '.SS', '.TP', '.PP', '.nf', '.fi']));
});
