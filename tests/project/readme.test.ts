import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, workflowFolder } from '../support/cli.ts';
import { parseMarkdown } from '../support/goldens/markdown.ts';
import { needs } from '../support/needs.ts';
import { screenOf, timeless } from '../support/processes/screen.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The slowest steps differ from run to run. */
function withoutNames(line: string): string {
  return timeless(line).replace(/(?<=^ {2}slowest .*)(?:step_1|step_2|upload)/g, '<step>');
}

test('at a terminal the run that README.md begins with looks as it does there', needs('python3'), async (t) => {
  const { blocks } = parseMarkdown(readme);
  const file = blocks.find(({ language }) => language === 'jsonc');
  const screen = blocks.find(({ language }) => language === 'text');
  const [, command] = /\(`cli (workflow run [^`]*)`\)/.exec(readme) ?? [];
  assert.ok(file !== undefined && screen !== undefined && command !== undefined);
  const lines = await screenOf(t, workflowFolder(t, file.text), 80, command, { NO_COLOR: '1' });
  assert.deepEqual(lines.map(withoutNames), [...screen.text.trimEnd().split('\n').map(withoutNames), 'ended with 0']);
});
