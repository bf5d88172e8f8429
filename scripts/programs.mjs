// Installs the programs that only tests need, where that works without a prompt: as root on Debian and its derivatives,
// for example in a container. Elsewhere, tests that need a missing program are skipped.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const programs = JSON.parse(readFileSync(new URL('../tests/support/programs.json', import.meta.url), 'utf8'));
const missing = Object.keys(programs).filter((name) => !programs[name].some(isInstalled));

if (missing.length > 0 && process.getuid?.() === 0 && isInstalled('apt-get')) {
  process.stderr.write(`Installing programs for the tests with apt-get: ${missing.join(', ')}\n`);
  const isDone = apt('update') && apt('install', '-y', '--no-install-recommends', ...missing);
  if (!isDone) process.stderr.write('The installation failed. Tests that need these programs are skipped.\n');
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function apt(...args) {
  return spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2] }).status === 0;
}
