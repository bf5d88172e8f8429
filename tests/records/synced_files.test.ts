import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, finish } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { HAS_PROC } from '../support/processes/shell.ts';
import { project } from '../support/runs/recorded_run.ts';

const CALLS = 'trace=execve,fdatasync,fsync,?link,linkat,?rename,renameat,renameat2,write';

/** What a line of a trace means for the files of records and states; undefined if nothing. */
function meaningOf(line: string): string | undefined {
  const [, call = '', rest = ''] = /(\w+)\((.*)/.exec(line) ?? [];
  if (call === 'execve') return /"-c", "--", "(\w+)/.exec(rest)?.[1];
  if (call === 'fsync')
    return `sync ${/<(?:.*\/)?(\.cli|runs)(?:\/[\d-]+\w{5})?>/.exec(rest)?.[0].replace(/.*(?=\.cli|workflow-plan)/, '')}`;
  const file = /\.cli\/(?:runs|state)\/\S*?(session-1|key|json)\b/.exec(rest)?.[1];
  if (file === undefined || /plan-1|\.lock\./.test(rest)) return undefined;
  if (call === 'write') return `write ${/"kind\\":\\"(\w+)/.exec(rest)?.[1] ?? file}`;
  return `${call === 'fdatasync' ? 'sync' : 'name'} ${file}`;
}

function isDirectory(meaning: string): boolean {
  return /^sync (?:\.cli|workflow-plan)/.test(meaning);
}

test('each record is on disk before what relies on it', { ...HAS_PROC, ...needs('strace') }, async (t) => {
  const { cwd } = project(t, ['true', { run: 'cp in out', sources: ['in'], generates: ['out'] }]);
  writeFileSync(join(cwd, 'in'), '');
  const trace = ['-f', '-y', '-qq', '-s', '60', '-o', 'trace', '-e', 'signal=none', '-e', CALLS];
  const env = { CLI_NO_JOURNAL: undefined };
  const { code, stderr } = await finish('strace', [...trace, ...COMMAND, 'run', 'ci'], { cwd, env });
  assert.equal(code, 0, stderr);
  const all = readFileSync(join(cwd, 'trace'), 'utf8')
    .split('\n')
    .flatMap((line) => meaningOf(line) ?? []);
  assert.deepEqual(
    all.filter((meaning) => !isDirectory(meaning)),
    [
      'write session',
      'sync session-1',
      'name session-1',
      'write start',
      'sync session-1',
      'true',
      'write end',
      'write decide',
      'write key',
      'sync key',
      'name key',
      'write start',
      'sync session-1',
      'cp',
      'write end',
      'write json',
      'sync json',
      'name json',
      'write finish',
      'sync session-1',
    ],
  );
  const directories = all.filter(isDirectory).map((meaning) => meaning.replace(/\d{8}-\d{6}-\w{5}/, 'ID'));
  const synced = ['.cli/runs/ID', '.cli/runs', '.cli', 'workflow-plan/runs'].map((path) => `sync ${path}>`);
  assert.deepEqual(directories.toSorted(), synced);
});
