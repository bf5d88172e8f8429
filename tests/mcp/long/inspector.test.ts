/* The inspector of the Model Context Protocol, as a host. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { COMMAND, finish, ROOT, workflowDirectory, type CommandResult } from '../../support/cli.ts';

const MODULES = join(ROOT, 'tools/inspector/node_modules');
const INSPECTOR = join(MODULES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');

before(async () => {
  const { code, stderr } = await finish(process.execPath, ['scripts/setup.mjs', 'tools/inspector'], { cwd: ROOT });
  assert.equal(code, 0, stderr);
});

async function inspect(cwd: string, ...args: readonly string[]): Promise<CommandResult> {
  const words = [INSPECTOR, '--cli', ...COMMAND, 'mcp', ...args];
  return finish(join(MODULES, 'node-24/bin/node'), words, { cwd, env: { CLI_NO_JOURNAL: undefined } });
}

test('the inspector finds no mistake in the six tools, and runs a workflow', async (t) => {
  const cwd = workflowDirectory(t, { agents: 'allow', workflows: { test: { steps: ['true', 'true'] } } });
  const listed = await inspect(cwd, '--method', 'tools/list', '--strict');
  assert.deepEqual([listed.code, listed.stderr], [0, '']);
  const { tools }: { tools: readonly object[] } = JSON.parse(listed.stdout);
  assert.equal(tools.length, 6);
  const call = ['--method', 'tools/call', '--tool-name', 'run_workflow', '--tool-arg', 'workflow=test'];
  const { code, stdout, stderr } = await inspect(cwd, ...call);
  assert.deepEqual([code, stderr], [0, '']);
  const { structuredContent } = JSON.parse(stdout);
  const { run } = structuredContent;
  assert.deepEqual(structuredContent, { run, workflow: 'test', state: 'succeeded', done: 2 });
});
