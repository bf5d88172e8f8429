// Builds build/standalone/cli, an executable that does not need Node.js, from the bundle in dist.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';

rmSync('build/standalone', { recursive: true, force: true });
mkdirSync('build/standalone', { recursive: true });
execFileSync(
  'tools/standalone/node_modules/.bin/bun',
  [
    'build',
    '--compile',
    '--bytecode',
    '--minify',
    '--format=cjs',
    // Files in the working directory must not affect the tool.
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    '--outfile=build/standalone/cli',
    'dist/cli.cjs',
  ],
  { stdio: ['ignore', 2, 2] },
);
cpSync('dist/THIRD_PARTY_LICENSES.txt', 'build/standalone/THIRD_PARTY_LICENSES.txt');
