/* What macOS lacks is in no exported script, outside of the commands of its steps. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, workflowDirectory } from '../support/cli.ts';
import { argvOf, caseOf, casesOf } from '../support/goldens/goldens.ts';
import { inProcess } from '../support/in_process.ts';
import { simpleCommands } from '../support/references/called_programs.ts';

/** Programs that only GNU systems have, or whose options differ from those of BSD, and options that only GNU's have. */
const FORBIDDEN =
  /^(?:setsid|timeout|flock|stat|readlink|realpath|date|sed|tac|nproc|pidof|pgrep|shuf)\b|^(?:mktemp .*(?:-p|--)|sort .*-z|xargs .*-r|(?:cat|cp|cut|env|head|ln|mkfifo|mktemp|mv|ps|rm|sleep|sort|tail|tr|wc) .*--[a-z]|env -S)/;

const forbiddenIn = (script: string): readonly string[] =>
  simpleCommands(script).filter((command) => FORBIDDEN.test(command));

test('the functions of exported scripts call only what macOS has, too', () => {
  const directory = join(ROOT, 'src/export/runtime');
  for (const name of readdirSync(directory)) {
    assert.deepEqual(forbiddenIn(readFileSync(join(directory, name), 'utf8')), [], name);
  }
  assert.deepEqual(forbiddenIn('wf() { local x; x=$(A=b mktemp -d -p /tmp); setsid y; echo date; }'), [
    'mktemp -d -p /tmp); setsid y; echo date; }',
    'setsid y; echo date; }',
  ]);
});

/** Calls of programs in sources, also in texts for a shell, with an option or of a program that only GNU systems have. */
const CALLED =
  /(?:runProgram|spawn|spawnSync|execFile)\('(?:setsid|timeout|flock|stat|readlink|realpath|date|sed)'|\b(?:mkfifo|mktemp|ps|rm|stty|sysctl|tee)\b[^;`]*?[ ']--[a-z].*/;
const calledIn = (text: string): string | undefined => CALLED.exec(text.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, ''))?.[0];

test('the tool itself calls only what macOS has, too', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const calling = sources.flatMap((name) => {
    const text = readFileSync(join(ROOT, 'src', name), 'utf8');
    return /runProgram\(|child_process/.test(text) ? [[name, calledIn(text)]] : [];
  });
  assert.ok(calling.length > 8);
  assert.deepEqual(
    calling.filter(([, found]) => found !== undefined),
    [],
  );
  assert.equal(calledIn("runProgram('mkfifo', ['--mode=600'])"), "mkfifo', ['--mode=600'])");
  assert.equal(calledIn("spawn('setsid', [])"), "spawn('setsid'");
});

test('the lines about workflows in exported scripts do so, too', async (t) => {
  let count = 0;
  for (const name of casesOf('plans')) {
    const given = caseOf('plans', name);
    const workflow = argvOf(given).find((word) => !word.startsWith('--')) ?? '';
    const cwd = workflowDirectory(t, {});
    const { code, stdout } = await inProcess(t, ['export', workflow, '--file', join(given.directory, given.file)], {
      cwd,
    });
    if (code !== 0) continue;
    const [own = ''] = stdout.split('# The rest of this script is the same');
    assert.deepEqual(forbiddenIn(own), [], name);
    count += 1;
  }
  assert.ok(count > 20, `${count} scripts`);
});
