import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/cli.ts';
import { readTree } from '../support/code_text.ts';

/** The files that open a file by themselves, and what they open. A file of a project could be a pipe or a device. */
const OPENERS: Readonly<Record<string, string>> = {
  'src/backend/outputs/branch_output.ts': 'openSync: in a directory that was just made',
  'src/backend/outputs/logs/stored_logs.ts': 'openSync, truncateSync: a new file',
  'src/backend/outputs/named_pipe.ts': 'openSync: in a directory that was just made',
  'src/backend/outputs/output_pipes.ts': 'openSync: in a directory that was just made',
  'src/backend/process/table/process_table.ts': 'readFileSync: /proc',
  'src/backend/system/regular_file.ts': 'openSync: everything else',
  'src/backend/system/standard_streams.ts': 'createReadStream: a descriptor',
  'src/cli/commands/init.ts': 'openSync, writeFileSync: a new file',
  'src/cli/commands/page/page_command.ts': 'createReadStream: a descriptor',
  'src/cli/commands/process/run_process.ts': 'openSync: /dev/null',
  'src/cli/commands/run/plan_writer.ts': 'openSync: a new file',
  'src/cli/commands/process/started_run.ts': 'openSync: /dev/null',
  'src/cli/run_data/start_message.ts': 'readFileSync: a descriptor',
  'src/cli/driver/read_file.ts': 'openSync: a file that the user has named, which may be a pipe',
  'src/cli/engine/checkout.ts': 'writeFileSync: a new file',
  'src/export/runtime_text.ts': 'readFileSync: a part of this tool',
  'src/records/journal/directory/begin_session.ts': 'open, openSync: a new file, or a directory',
  'src/records/journal/directory/directory_session.ts': 'openSync: a new file',
  'src/records/journal/directory/entries.ts': 'openSync: /dev/urandom',
  'src/records/journal/directory/runs_directory.ts': 'writeFileSync: a new file',
  'src/records/journal/holder/holder.ts': 'readFileSync: /proc',
  'src/backend/process/table/system_table.ts': 'readFileSync: /proc',
  'src/cli/reporters/events/event_file.ts': 'readFileSync: /proc',
  'src/cli/reporters/file/open_file.ts': 'openSync: a file that the user has named, which may be a pipe',
  'src/cli/reporters/github_reporter.ts': 'appendFileSync: the summary of GitHub Actions',
  'src/cli/reporters/terminal/terminal_title.ts': 'openSync: the terminal',
  'src/records/locks/ticket_lock.ts': 'writeFileSync: a new file',
  'src/records/up_to_date/state_directory.ts': 'openSync, writeFileSync: a new file',
  'packages/postgres/src/worker/launch_as_lost.ts': 'readFileSync: a descriptor',
};

const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/src`);
const trees = ['src', ...packages].map(readTree);

test('only backend/system/regular_file.ts opens the files of a project, and nothing else opens what is not listed here', () => {
  const opens =
    /\b(?:open|openAsBlob|(?:read|write|append|copy)File|create(?:Read|Write)Stream|cp|truncate|promises)(?:Sync)?\b/g;
  const found = trees.flatMap(({ directory, sources }) =>
    [...sources].flatMap(([path, text]) => {
      const lists = [...text.matchAll(/^import (?!type)([^;]*) from 'node:fs(?:\/promises)?';$/gm)];
      const names = lists.flatMap(([, list = '']) =>
        list.startsWith('{') ? (list.match(opens) ?? []) : ['all of it'],
      );
      return names.length === 0 ? [] : [`${directory}/${path}: ${names.toSorted().join(', ')}`];
    }),
  );
  const allowed = Object.entries(OPENERS).map(([path, text]) => `${path}: ${text.split(':')[0]}`);
  assert.deepEqual(found.toSorted(), allowed.toSorted());
  const newFiles = Object.entries(OPENERS).filter(([, text]) => text.endsWith(': a new file'));
  for (const [path] of newFiles) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    assert.match(text, /'[aw]x\+?'/, path);
    assert.doesNotMatch(text, /\b(?:openSync\([^)]*, '[arw]\+?'|writeFileSync\((?![^;]*'wx'))/, path);
  }
});
