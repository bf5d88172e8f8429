/* Sources that change while a step is about to start, or runs, and are as before when it is checked again. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { COPY, project } from '../support/runs/checked_project.ts';

test('an edit of a source during the step makes the next run run it, also if it is undone after the step', async (t) => {
  const { reasons, write, path } = project(t, [
    { name: 'copy', run: 'if [ -e edit ]; then rm edit; echo edited >in; fi; cat in >out', sources: ['in'] },
  ]);
  write('in', 'one');
  write('edit', '');
  await reasons();
  write('in', 'one');
  assert.deepEqual(await reasons(), ['in changed']);
  assert.equal(readFileSync(path('out'), 'utf8'), 'one');
  assert.deepEqual(await reasons(), []);
});

test('an edit between the check and the start of a step makes the next run run it, also if it is undone after the step', async (t) => {
  // The program of a secret runs after the check.
  const edit = ['sh', '-c', 'if [ -e edit ]; then rm edit; echo edited >in; fi; echo value'];
  const { reasons, write, path } = project(t, [{ ...COPY, secrets: ['TOKEN'] }], {
    secrets: { TOKEN: { command: edit } },
  });
  write('in', 'one');
  write('edit', '');
  await reasons();
  assert.equal(readFileSync(path('out'), 'utf8'), 'edited\n');
  write('in', 'one');
  assert.deepEqual(await reasons(), ['in changed']);
  assert.equal(readFileSync(path('out'), 'utf8'), 'one');
  assert.deepEqual(await reasons(), []);
});

test('a source that is there only during the step makes the next run run it, as does one that is missing meanwhile', async (t) => {
  const change = 'if [ -e change ]; then rm change src/old; touch src/new; fi';
  const { reasons, write, path } = project(t, [
    { name: 'list', run: `mkdir -p src; ${change}; ls src`, sources: ['src', 'in'] },
  ]);
  write('in', '');
  await reasons();
  write('src/old', '');
  write('change', '');
  await reasons();
  rmSync(path('src/new'));
  write('src/old', '');
  assert.deepEqual(await reasons(), ['src/old changed, src/new is gone']);
  assert.deepEqual(await reasons(), []);
});

test('a step that writes a source again with the same content is up to date after its second run', async (t) => {
  const { reasons, write } = project(t, [
    { name: 'lock', run: 'echo locked >package.lock', sources: ['package.json', 'package.lock'] },
  ]);
  write('package.json', '1');
  write('package.lock', 'locked\n');
  assert.deepEqual(await reasons(), ['no record']);
  assert.deepEqual(await reasons(), ['package.lock changed']);
  assert.deepEqual(await reasons(), []);
  write('package.json', '2');
  assert.deepEqual(await reasons(), ['package.json changed']);
  assert.deepEqual(await reasons(), []);
});
