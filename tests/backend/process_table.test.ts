import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { procTable, type ProcessTable } from '../../src/backend/process/table/process_table.ts';
import { TreeContext } from '../../src/backend/process/marked_processes.ts';
import { MarkedTree } from '../../src/backend/process/end_process_tree.ts';
import { systemTable } from '../../src/backend/process/table/system_table.ts';
import { psTable } from '../../src/backend/process/table/ps_table.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { LINUX } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';

for (const [name, table, options] of [
  ['/proc', procTable, LINUX],
  ['ps', psTable(), needs('procps')],
] as const) {
  test(`a tree found through ${name} receives SIGTERM, and its remaining processes are killed`, options, async () => {
    const script = `trap 'echo got TERM' TERM; sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait; wait`;
    const shell = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    createInterface({ input: shell.stdout }).on('line', (line) => lines.push(line));
    const printed = (count: number): Promise<void> =>
      until(
        () => lines.length >= count,
        () => `${count} lines, not ${lines.join(', ')}`,
      );
    await printed(1);
    const stubborn = Number(lines[0]);
    // The root of the tree is the shell, because this process has other children.
    const tree = new MarkedTree(new TreeContext(table, shell.pid ?? 0, new Set()), {
      kind: 'run',
      marker: 'CLI_RUN_0_0',
      spared: () => [],
    });
    const pids = (): number[] => [...table.all()].flatMap(({ pid }) => (pid === stubborn ? pid : []));
    tree.signal('SIGTERM');
    assert.equal(tree.isEmpty(), false);
    assert.deepEqual(pids(), [stubborn]);

    tree.kill();
    assert.equal(tree.isEmpty(), true);
    assert.deepEqual(pids(), []);
    shell.kill('SIGKILL');
    await once(shell, 'exit');
  });
}

test('a signal waits for a process that gets no processor, and 2 seconds for a system call', LINUX, async () => {
  for (const [state, lasts, least] of [
    ['R', 3000, 3000],
    ['D', Infinity, 2000],
    ['U', Infinity, 2000],
  ] as const) {
    const child = spawn('sleep', ['60']);
    const table = await systemTable();
    const entry = table.find(child.pid ?? 0);
    const start = performance.now();
    let looksAfter = 0;
    const find = (pid: number): typeof entry => {
      if (pid === child.pid && entry !== undefined && performance.now() - start <= lasts) return { ...entry, state };
      if (pid === child.pid) looksAfter += 1;
      return table.find(pid);
    };
    const seen: ProcessTable = { ...procTable, all: (since) => table.all(since), find };
    const context = new TreeContext(seen, process.pid, new Set());
    const root = { kind: 'command', marker: 'CLI_RUN_0_0', pid: child.pid, value: '1' } as const;
    new MarkedTree(context, root).signal('SIGTERM');
    const waited = performance.now() - start;
    // A look takes seconds on a busy machine without /proc; a wait until the end of the limit has thousands.
    const isInTime = lasts === Infinity ? waited < 9000 : looksAfter < 10;
    assert.equal(waited >= least && isInTime, true, `${state}: ${waited} ms, ${looksAfter} looks`);
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
  }
});

test('the processes created after a moment are listed, and older ones are not', LINUX, async (t) => {
  const before = procTable.generation();
  const child = spawn('sleep', ['60']);
  t.after(() => child.kill('SIGKILL'));
  const pids = new Set(Array.from(procTable.all(before), ({ pid }) => pid));
  assert.equal(pids.has(child.pid ?? 0), true);
  assert.equal(pids.has(process.pid), false);
  assert.notEqual(procTable.generation(), before);
});

test('the ignored signals of a process are read', LINUX, async (t) => {
  const ignored: [boolean, boolean][] = [];
  for (const signals of ['HUP', 'INT', 'HUP INT', 'TERM']) {
    const child = spawn('sh', ['-c', `trap '' ${signals}; echo; exec sleep 60`]);
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const { pid = 0 } = child;
    ignored.push([procTable.ignores(pid, 'SIGHUP'), procTable.ignores(pid, 'SIGINT')]);
  }
  assert.deepEqual(ignored, [
    [true, false],
    [false, true],
    [true, true],
    [false, false],
  ]);
});

test('a list of ps without this process is a problem, and only running commands are seen', async (t) => {
  const directory = temporaryDirectory(t);
  const [arguments_, path] = [join(directory, 'arguments'), process.env['PATH']];
  const list = `echo '${process.pid + 1} 1 1 S Sat Nov 28 16:22:57 2026 init'`;
  writeFileSync(join(directory, 'ps'), `#!/bin/sh\necho "$@" >>'${arguments_}'\n${list}\n`, { mode: 0o755 });
  t.after(() => (process.env['PATH'] = path));
  process.env['PATH'] = `${directory}:${path}`;
  const child = spawn('sleep', ['60']);
  t.after(() => child.kill('SIGKILL'));
  const { pid = 0 } = child;
  const table = psTable();
  assert.deepEqual([...table.all()], []);
  assert.equal(table.problem, 'ps does not list this process, and exits with 0');
  table.children?.add(pid);
  assert.deepEqual(
    Array.from(table.all(), (entry) => entry.pid),
    [pid],
  );
  assert.equal(table.find(pid)?.parent, process.pid);
  // Each keyword is an argument: FreeBSD takes what follows `=` for a title.
  assert.equal(
    readFileSync(arguments_, 'utf8').split('\n')[0],
    '-axE -ww -o pid= -o ppid= -o pgid= -o stat= -o lstart= -o command=',
  );
});
