// Bundles the extension for VS Code with its packages. Unless the argument is `bundle`, vsce then writes it to
// build/workflow-plan.vsix.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const directory = 'packages/vscode';
execFileSync('node_modules/.bin/tsc', ['-p', directory], { stdio: ['ignore', 2, 2] });
await build({
  entryPoints: [`${directory}/src/extension.ts`],
  outfile: `${directory}/dist/extension.cjs`,
  bundle: true,
  minify: true,
  external: ['vscode'],
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
});
if (process.argv[2] !== 'bundle') {
  mkdirSync('build', { recursive: true });
  const flags = ['package', '--no-dependencies', '--out', resolve('build/workflow-plan.vsix')];
  execFileSync(resolve('tools/vsce/node_modules/.bin/vsce'), flags, { cwd: directory, stdio: ['ignore', 2, 2] });
}
