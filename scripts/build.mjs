// Type-checks and compiles the sources and tests into build/, and bundles the published executable into dist/. Empties
// both first.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { x } from 'tinyexec';
import { bundle, bundlePostgres } from './bundle.mjs';

for (const directory of ['build/src', 'build/tests', 'build/packages', 'dist', 'packages/postgres/dist'])
  rmSync(directory, { recursive: true, force: true });
// packages/postgres is built only if its dependencies are installed: `node scripts/setup.mjs packages/postgres`.
const hasPostgres = existsSync('packages/postgres/node_modules');
compile(hasPostgres ? '.' : 'scripts/without_postgres.json');
compile('packages/ui');
compile('packages/playground');
cpSync('src/export/runtime', 'build/src/export/runtime', { recursive: true });
if (hasPostgres) await bundlePostgres('packages/postgres');
const packages = await bundle('dist');
writeFileSync('dist/api.d.cts', declarations());
chmodSync('dist/cli.cjs', 0o755);
const schema = await x(process.execPath, ['dist/cli.cjs', 'workflow', 'schema', '--pretty'], { throwOnError: true });
writeFileSync('dist/schema.json', schema.stdout);
cpSync('schemas', 'dist/schemas', { recursive: true });
const { manPage } = await import('../build/src/cli/command_line/help/man_page.js');
writeFileSync('dist/cli.1', manPage());
writeFileSync('dist/THIRD_PARTY_LICENSES.txt', licenses(packages));

function compile(project) {
  const { status } = spawnSync('node_modules/.bin/tsc', ['-p', project], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

/** The types of the library in one file: those of its functions, and those that they name. */
function declarations() {
  compile('scripts/declarations.json');
  const [functions, types] = ['api', 'library/types'].map((name) =>
    readFileSync(`build/declarations/${name}.d.ts`, 'utf8'),
  );
  const own = functions.replaceAll(/^(?:im|ex)port [^;]*? from '[^']*';\n/gm, '');
  return `${types}\n${own}`;
}

function licenses(names) {
  const texts = names.map((name) => {
    const directory = ['.', 'packages/lsp', 'packages/mcp', 'packages/ui']
      .map((each) => join(each, 'node_modules', name))
      .find((each) => existsSync(each));
    const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const files = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENSE-MIT.txt', 'LICENSE-MIT', 'License.txt', 'license'];
    const file = files.map((each) => join(directory, each)).find((each) => existsSync(each));
    if (file === undefined) throw new Error(`${name} has no licence file: add its name to the list here`);
    return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
  });
  return `The executable contains code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
