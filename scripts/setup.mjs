// Installs the dependencies if they are not those of the lock file, so that `npm start` and
// `npm test` need nothing else on a fresh clone, and cost nothing on the next run.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

const changed = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { stdio: ['ignore', 2, 2] });
}
