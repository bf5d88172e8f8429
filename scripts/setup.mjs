// Installs the dependencies of a folder (the repository's root, if none is named) unless they are those
// of its lock file already, so that `npm start` and `npm test` need nothing else on a fresh clone, and
// cost nothing on the next run.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const changed = (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });
}
