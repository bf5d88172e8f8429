// Installs the packages of a directory (by default the root of the repository) unless they are newer than its lock
// file. `npm start` and `npm test` therefore work in a fresh clone, without a delay on later runs.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const [directory = '.', isOptional] = process.argv.slice(2);
const changed = (file) => statSync(join(directory, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const npm = (...args) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd: directory, stdio: ['ignore', 2, 2] });

if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) {
  // `npm ci` rejects a lock file without the packages for other systems. Some tools of the benchmark had none in the
  // registry when its lock file was written.
  try {
    if (directory === 'benchmark') npm('install', '--no-save');
    else npm('ci');
  } catch (error) {
    // Tests that need these packages are then skipped.
    if (isOptional !== 'optional') throw error;
  }
}
