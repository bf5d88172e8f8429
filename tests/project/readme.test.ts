import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, workflowDirectory } from '../support/cli.ts';
import { parseMarkdown } from '../support/goldens/markdown.ts';
import { needs } from '../support/needs.ts';
import { screenOf, timeless } from '../support/processes/screen.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const { blocks, links } = parseMarkdown(README);

/** Removes the slowest steps and the widths of times, which vary. */
function withoutNames(line: string): string {
  return timeless(line).replace(/(?<=^ {2}slowest .*)(?:unit tests|echo 'No lint'|upload)/g, '<step>');
}

/** The text of a picture that `npm run screenshots` has drawn, by row. */
function rowsOf(svg: string): string[] {
  return [...svg.matchAll(/<g class="row">(.*)<\/g>/g)].map(([, row = '']) =>
    row
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );
}

test('README.md has at most 900 words', () => {
  const words = README.split(/\s+/).filter(Boolean).length;
  assert.ok(words <= 900, `README.md has ${words} words`);
});

test('the picture in README.md shows the run of its first workflow file at a terminal', needs('python3'), async (t) => {
  const file = blocks.find(({ language }) => language === 'jsonc');
  const [prompt = '', ...rows] = rowsOf(readFileSync(join(ROOT, 'docs/images/run.svg'), 'utf8'));
  const [, command] = /^\$ cli (.*)$/.exec(prompt) ?? [];
  assert.ok(file !== undefined && command !== undefined);
  const directory = workflowDirectory(t, file.text);
  writeFileSync(join(directory, 'notes.txt'), '1.2.0: starts faster\n');
  // The run is recorded, so its id is shown.
  const env = { NO_COLOR: '1', CLI_NO_JOURNAL: '', XDG_STATE_HOME: directory };
  const lines = await screenOf(t, directory, 80, command, env);
  const advice = 'If the new output is right, run `npm run screenshots` and look at the picture.';
  assert.deepEqual(lines.map(withoutNames), [...rows.map(withoutNames), 'ended with 0'], advice);
});

test('the picture in README.md is a file of the repository', () => {
  const start = 'https://raw.githubusercontent.com/workflow-plan/workflow-plan/main/';
  const pictures = links.flatMap((link) => (link.startsWith(start) ? link.slice(start.length) : []));
  assert.deepEqual(pictures, ['docs/images/run.svg']);
  assert.ok(pictures.every((path) => existsSync(join(ROOT, path))));
});
