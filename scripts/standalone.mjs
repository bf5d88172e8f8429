// Builds build/standalone/cli, an executable that does not need Node.js, from the bundle in dist; with its licences, and
// its contents as a CycloneDX document (https://cyclonedx.org).
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

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
const licences = ['bun', 'LGPL-2.0', 'LGPL-2.1', 'Apache-2.0'].map((name) => `tools/standalone/licenses/${name}.txt`);
const texts = ['dist/THIRD_PARTY_LICENSES.txt', ...licences].map((path) => readFileSync(path, 'utf8').trimEnd());
writeFileSync('build/standalone/THIRD_PARTY_LICENSES.txt', `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
writeFileSync('build/standalone/cli.cdx.json', `${JSON.stringify(contents(), undefined, 2)}\n`);

/** The packages in the bundle, and Bun. */
function contents() {
  const headings = readFileSync('dist/THIRD_PARTY_LICENSES.txt', 'utf8').matchAll(/^(\S+) (\d\S*) \(.+\)$/gm);
  const bundled = new Set([...headings].map(([, name, version]) => `${name}@${version}`));
  const flags = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const listed = (cwd) =>
    JSON.parse(execFileSync('npm', flags, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] }));
  const own = listed('.');
  const all = [own, ...['lsp', 'mcp', 'ui'].map((name) => listed(`packages/${name}`))].flatMap(
    ({ components }) => components,
  );
  const packages = all.filter((each) => bundled.delete(each['bom-ref']));
  if (bundled.size > 0) throw new Error(`npm does not list ${[...bundled].join(', ')}`);
  const bun = JSON.parse(readFileSync('tools/standalone/node_modules/bun/package.json', 'utf8'));
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  // npm takes the name of the directory, and calls a package that is only bundled optional.
  const component = { ...own.metadata.component, type: 'application', name, version };
  const components = [
    ...packages.map((each) => Object.assign(each, { scope: 'required', properties: [] })),
    {
      'bom-ref': `bun@${bun.version}`,
      type: 'library',
      name: 'bun',
      version: bun.version,
      scope: 'required',
      purl: `pkg:npm/bun@${bun.version}`,
      licenses: [{ license: { id: bun.license } }],
    },
  ];
  const dependencies = [
    { ref: component['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) },
    ...components.map((each) => ({ ref: each['bom-ref'], dependsOn: [] })),
  ];
  return { ...own, metadata: { ...own.metadata, component }, components, dependencies };
}
