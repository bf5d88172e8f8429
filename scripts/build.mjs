// Type-checks and compiles everything into an empty build/, for the tests, and bundles the executable
// into an empty dist/, which is what is published. CONTRIBUTING.md says what each trick buys.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

for (const folder of ['build/src', 'build/tests', 'dist']) rmSync(folder, { recursive: true, force: true });
execFileSync('node_modules/.bin/tsc', ['-p', '.'], { stdio: ['ignore', 2, 2] });

// What the code imports on use, with `await import(…)`, becomes a file of its own beside the executable.
// What two of them need is in both: one more file to open costs more than the disk that it saves.
const sources = new Set(['src/main.ts']);
const packages = new Set();
for (const source of sources) await bundle(source);
chmodSync(join('dist', bundleOf('src/main.ts')), 0o755);
writeFileSync('dist/schema.json', execFileSync(process.execPath, ['dist/cli.cjs', 'workflow', 'schema', '--pretty']));
writeFileSync(
  'dist/THIRD_PARTY_LICENSES.txt',
  licenses([...packages].toSorted((one, other) => (one < other ? -1 : 1))),
);

function bundleOf(source) {
  return source === 'src/main.ts' ? 'cli.cjs' : `${basename(source, '.ts')}.cjs`;
}

async function bundle(source) {
  const hasYargs = source === 'src/full_command_line.ts';
  const { metafile } = await build({
    entryPoints: [source],
    outfile: join('dist', bundleOf(source)),
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    define: { 'import.meta.url': 'ownUrl' },
    // yargs wants a URL. Its parser alone only has to find a name there.
    banner: { js: `const ownUrl=${hasYargs ? 'require("node:url").pathToFileURL(__filename).href' : '""'};` },
    // An import on use becomes a call of require: Node's loader for modules is another 3 ms.
    supported: { 'dynamic-import': false },
    plugins: [
      { name: 'small parts', setup: split },
      { name: 'no ballast', setup: lighten },
    ],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      if (name !== undefined && bytesInOutput > 0) packages.add(name);
    }
  }
}

function split(bundler) {
  bundler.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
    if (kind !== 'dynamic-import') return undefined;
    const source = relative('.', resolve(resolveDir, path));
    sources.add(source);
    return { path: `./${bundleOf(source)}`, external: true };
  });
}

/** Parts of packages that run or load something when they are loaded, and that nothing of ours uses. */
function lighten(bundler) {
  const unused = [
    { inside: 'jsonc-parser', filter: /^\.{1,2}\/(?:impl\/)?(?:edit|format|string-intern)$/ },
    { inside: 'yargs-parser', filter: /^node:module$/ },
  ];
  for (const { inside, filter } of unused) {
    bundler.onResolve({ filter }, ({ importer }) =>
      importer.includes(`/node_modules/${inside}/`) ? { path: inside, namespace: 'unused' } : undefined,
    );
  }
  // Any name that is imported from it is undefined.
  bundler.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
}

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
