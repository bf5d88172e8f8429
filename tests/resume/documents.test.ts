/* The documents about runs match the published schemas. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crash, effect, project, waiting } from '../support/runs/recorded_run.ts';
import { check, compile } from '../support/goldens/schemas.ts';

test('the documents of runs in every state match their schemas', async (t) => {
  const [list, show, prune, plan, result] = ['runs-list', 'runs-show', 'runs-prune', 'resume-dry-run', 'result'].map(
    (name) => {
      const isValid = compile(name);
      return (text: string): void => check(isValid, JSON.parse(text));
    },
  );
  assert.ok(list && show && prune && plan && result);
  const skipped = effect('s', { if: 'test -e none' });
  const steps = [effect('a', { retry: { max_attempts: 2, delay: '1ms' } }), skipped, waiting('b'), effect('c')];
  const { cwd, cli, start, edit } = project(t, steps, { before_all: 'true', finally: 'true' });
  const showAll = async (): Promise<void> => {
    list((await cli('runs list')).stdout);
    show((await cli('runs show --last')).stdout);
  };
  list((await cli('runs list')).stdout);
  const child = await start('run ci V:1 API_TOKEN:x');
  await showAll();
  await crash(child);
  await showAll();
  plan((await cli('resume --last --dry-run API_TOKEN:x')).stdout);
  result((await cli('resume --last --on-crash fail API_TOKEN:x')).stdout);
  await showAll();
  edit([effect('n'), effect('x', { run: 'echo x >> effects' }), waiting('b'), effect('c')]);
  plan((await cli('resume --last --dry-run API_TOKEN:x')).stdout);
  writeFileSync(join(cwd, 'go'), '');
  result((await cli('resume --last --changed keep --on-crash rerun API_TOKEN:x')).stdout);
  await showAll();
  prune((await cli('runs prune --all')).stdout);
  rmSync(join(cwd, '.cli/runs'), { recursive: true });
  prune((await cli('runs prune')).stdout);
});
