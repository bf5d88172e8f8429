import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { manPage } from '../../src/cli/command_line/help/man_page.ts';
import { shortWords } from '../../src/cli/command_line/find_command.ts';
import { COMMANDS } from '../../src/cli/command_line/command_table.ts';
import { finish, ROOT } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { needs, program } from '../support/needs.ts';

test('the package contains the manual page generated from the table of commands', () => {
  assert.equal(readFileSync(join(ROOT, 'dist/cli.1'), 'utf8'), manPage());
});

test('the manual page has a section for each command, and uses only macros of man(7)', () => {
  const lines = manPage().split('\n');
  assert.equal(lines.filter((line) => line.startsWith('.SS ')).length, COMMANDS.length);
  const requests = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0]);
  assert.deepEqual(new Set(requests), new Set(['.TH', '.SH', '.B', '.I', '.SS', '.TP', '.PP', '.nf', '.fi']));
});

const BACKSPACE = String.fromCharCode(8);
const PAGE = join(ROOT, 'dist/cli.1');

/** The page as text, with white space collapsed. */
async function rendered(): Promise<string> {
  const formatter = program('groff-base');
  const args = formatter.endsWith('mandoc') ? ['-Tascii'] : ['-man', '-Tascii', '-P-cbou'];
  const { stdout } = await finish(formatter, [...args, PAGE], { cwd: ROOT });
  // Overstrikes make letters bold or underlined.
  return withBlanks(stdout.replaceAll(new RegExp(`.${BACKSPACE}`, 'g'), ''));
}

function withBlanks(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

test('the manual page is formatted without a warning', needs('groff-base'), async () => {
  const formatter = program('groff-base');
  const args = formatter.endsWith('mandoc') ? ['-Tlint', '-Werror'] : ['-man', '-ww', '-z', '-Tascii'];
  assert.deepEqual(await finish(formatter, [...args, PAGE], { cwd: ROOT }), {
    code: 0,
    signal: null,
    stdout: '',
    stderr: '',
  });
});

for (const command of COMMANDS) {
  const words = shortWords(command);
  test(`every option in the help of \`cli ${words}\` is in its section of the page`, needs('groff-base'), async (t) => {
    const { stdout } = await inProcess(t, [...words.split(' '), '--help'], { cwd: ROOT });
    // An option and its description, up to the next option or the end of the group.
    const found = [...stdout.matchAll(/^ {2}((?:-\w, )?--[\w-]+(?: <[^>]+>)?)\s+(\S[^]*?)(?=\n {2}-|\n\n)/gm)];
    assert.notDeepEqual(found, []);
    const page = await rendered();
    const start = page.indexOf(`cli ${words}`, page.indexOf('COMMANDS'));
    assert.notEqual(start, -1);
    for (const [, flags = '', about = ''] of found) {
      assert.ok(page.slice(start).includes(withBlanks(`${flags} ${about}`)), `${flags} ${withBlanks(about)}`);
    }
  });
}
