/* The manifest of the extension for VS Code, its choice of the program, and its package. VS Code itself is not started. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { chooseProgram, COMMANDS } from '../../packages/vscode/src/choose_program.ts';
import { finish, ROOT } from '../support/cli.ts';
import { VERSION } from '../support/package.ts';

const DIRECTORY = join(ROOT, 'packages/vscode');
const Unsupported = v.looseObject({ supported: v.literal(false) });
const Manifest = v.looseObject({
  version: v.string(),
  main: v.string(),
  capabilities: v.strictObject({ untrustedWorkspaces: Unsupported, virtualWorkspaces: Unsupported }),
  contributes: v.object({
    languages: v.array(v.object({ id: v.string(), filenamePatterns: v.array(v.string()), configuration: v.string() })),
    grammars: v.array(v.object({ language: v.string(), scopeName: v.string(), path: v.string() })),
    commands: v.array(v.object({ command: v.string(), title: v.string(), category: v.string() })),
    configuration: v.object({ properties: v.record(v.string(), v.looseObject({ scope: v.string() })) }),
  }),
});

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(DIRECTORY, path), 'utf8'));
}

test('the manifest has the language of workflow files, and starts nothing in untrusted or virtual workspaces', () => {
  const { version, contributes } = v.parse(Manifest, readJson('package.json'));
  assert.equal(version, VERSION);
  const [language] = contributes.languages;
  assert.deepEqual([language?.id, language?.filenamePatterns], ['workflow-plan', ['**/.cli/*.json']]);
  assert.ok(existsSync(join(DIRECTORY, language?.configuration ?? '')));
  const [grammar] = contributes.grammars;
  assert.deepEqual(readJson(grammar?.path ?? ''), {
    scopeName: grammar?.scopeName,
    patterns: [{ include: 'source.json.comments' }],
  });
  const { properties } = contributes.configuration;
  assert.deepEqual(
    Object.entries(properties).map(([name, { scope }]) => [name, scope]),
    [['workflow-plan.path', 'machine']],
  );
  const declared = contributes.commands.map(({ command }) => command);
  assert.deepEqual(declared, Object.keys(COMMANDS));
});

function choose(setting: string, ...found: readonly string[]): unknown {
  return chooseProgram({ setting, folders: ['/a', '/b'], exists: (path) => found.includes(path) });
}

test('the setting comes before the program of the workspace, and that before the one on PATH', () => {
  const installed = '/b/node_modules/workflow-plan/dist/cli.cjs';
  assert.deepEqual(choose('/opt/cli', installed), { command: '/opt/cli', args: [] });
  assert.deepEqual(choose('', installed), { command: 'node', args: [installed] });
  assert.deepEqual(choose(''), { command: 'cli', args: [] });
});

test('the commands above a workflow run it, show what it would do, and draw it', () => {
  const lines = Object.entries(COMMANDS).map(([name, argsOf]) => [name, argsOf('w', 'f.json').join(' ')]);
  assert.deepEqual(lines, [
    ['workflow-plan.run', 'run --file f.json -- w'],
    ['workflow-plan.dryRun', 'run --dry-run --file f.json -- w'],
    ['workflow-plan.graph', 'graph --file f.json -- w'],
  ]);
});

const skip = existsSync(join(DIRECTORY, 'node_modules')) ? {} : { skip: 'run node scripts/setup.mjs packages/vscode' };

test('the extension is bundled with its packages', skip, async () => {
  const { code, stderr } = await finish(process.execPath, ['scripts/package_vscode.mjs', 'bundle'], { cwd: ROOT });
  assert.equal(code, 0, stderr);
  const bundle = readFileSync(join(DIRECTORY, 'dist/extension.cjs'), 'utf8');
  assert.ok(bundle.includes('workflow-plan.path') && /\bexports\b/.test(bundle));
});
