// Makes sure that the programs are there that only tests need. On Debian and its kin, as root (a container, a CI
// machine), it installs those that are missing; elsewhere it says which they are, before a hundred tests fail.
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Each is the name of a program and of the Debian package that has it. */
const PROGRAMS = ['bash', 'python3', 'strace', 'zsh', 'fish', 'chromium', 'git', 'rsync'];

const isThere = (program) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
const missing = PROGRAMS.filter((program) => !isThere(program));
const apt = (...args) => execFileSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2] });

if (missing.length > 0 && process.getuid?.() === 0 && isThere('apt-get')) {
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...missing);
} else if (missing.length > 0) {
  process.stderr.write(`The tests need programs that are not installed: ${missing.join(', ')}\n`);
  process.exitCode = 1;
}
