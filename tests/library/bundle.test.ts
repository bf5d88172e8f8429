/* The bundle of the library, as programs import it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import type * as library from '../../src/api.ts';
import { finish, ROOT, temporaryDirectory } from '../support/cli.ts';

const BUNDLE = join(ROOT, 'dist/api.cjs');

test('importing the library sets no handler, and loads nothing that writes', async (t) => {
  const cwd = temporaryDirectory(t);
  const program = `const before = process.eventNames().length;
    const { parse, check } = require(${JSON.stringify(BUNDLE)});
    console.log(process.eventNames().length - before, check(parse('{"workflows": {}}')).length);`;
  const { stdout, stderr } = await finish(process.execPath, ['-e', program], { cwd });
  assert.deepEqual([stdout, stderr], ['0 0\n', '']);
});

const Event = v.object({ event: v.string() });

test('a run gives its document, its events and its output, and an abort interrupts it', async (t) => {
  const workflows = {
    good: { steps: ['echo "$A" >&2', { name: '-x', run: 'echo out' }] },
    slow: { steps: ['echo ready; sleep 60'] },
  };
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': { workflows } });
  const { run }: typeof library = createRequire(import.meta.url)(BUNDLE);
  const events: string[] = [];
  let shown = '';
  const good = await run({
    workflow: 'good',
    params: { A: 'x:=y' },
    cwd,
    stderr: (text) => (shown += text),
    onEvent: (event) => events.push(v.parse(Event, event).event),
  });
  assert.deepEqual(good, {
    exitCode: 0,
    signal: null,
    document: {
      workflow: 'good',
      steps: [
        { name: 'step_1', command: 'echo "$A" >&2', exit_code: 0 },
        { name: '-x', command: 'echo out', exit_code: 0 },
      ],
      success: true,
    },
  });
  assert.match(shown, /^x:=y$/m);
  assert.deepEqual(events, ['run_started', 'op_started', 'op_ended', 'op_started', 'op_ended', 'run_ended']);
  assert.deepEqual(await run({ workflow: 'none', cwd, stderr: 'ignore' }), {
    exitCode: 2,
    signal: null,
    document: null,
  });
  const abort = new AbortController();
  const slow = await run({
    workflow: 'slow',
    cwd,
    signal: abort.signal,
    stderr: (text) => {
      if (text.includes('ready')) abort.abort();
    },
  });
  assert.deepEqual([slow.exitCode, slow.signal, slow.document?.interrupted], [null, 'SIGINT', 'SIGINT']);
  const before = await run({ workflow: 'good', cwd, signal: abort.signal });
  assert.deepEqual(before, { exitCode: null, signal: 'SIGINT', document: null });
  const failing = run({
    workflow: 'good',
    cwd,
    stderr: () => {
      throw new Error('of the caller');
    },
  });
  await assert.rejects(failing, new Error('of the caller'));
});

test('the types of the library name no other file', () => {
  const text = readFileSync(join(ROOT, 'dist/api.d.cts'), 'utf8');
  assert.doesNotMatch(text, /\bimport\b|\bfrom '/);
});
