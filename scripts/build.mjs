// Type-checks and compiles everything into an empty build/, for the tests, and bundles the executable
// into an empty dist/, which is what is published.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';

for (const folder of ['build/src', 'build/tests', 'dist']) rmSync(folder, { recursive: true, force: true });
execFileSync('node_modules/.bin/tsc', ['-p', '.'], { stdio: ['ignore', 2, 2] });
const packages = await bundle('dist');
chmodSync('dist/cli.cjs', 0o755);
writeFileSync('dist/schema.json', execFileSync(process.execPath, ['dist/cli.cjs', 'workflow', 'schema', '--pretty']));
writeFileSync('dist/THIRD_PARTY_LICENSES.txt', licenses(packages));

function licenses(names) {
  const texts = names.map((name) => {
    const folder = join('node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENSE-MIT.txt', 'license'];
    const file = files.map((each) => join(folder, each)).find((each) => existsSync(each));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
  });
  return `The executable holds code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
