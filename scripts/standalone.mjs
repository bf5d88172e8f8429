// Builds build/standalone/cli, an executable that does not need Node.js, from the bundle in dist; with its licences, and
// its contents as a CycloneDX document (https://cyclonedx.org). With arguments such as `darwin-arm64`, or `all`, builds
// build/standalone/cli-SYSTEM for other systems, with the runtimes of Bun's packages for them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The systems of a release: the platform and the processor as Node.js names them. */
const SYSTEMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
const words = process.argv.slice(2);
const systems = words.includes('all') ? SYSTEMS : words;
const unknown = systems.find((system) => !SYSTEMS.includes(system));
if (unknown !== undefined) throw new Error(`no system ${unknown}: ${SYSTEMS.join(', ')} or all`);

rmSync('build/standalone', { recursive: true, force: true });
mkdirSync('build/standalone', { recursive: true });
compile('cli');
const order = orderOfUse(resolve('build/standalone/cli'));
if (systems.length === 0) compile('cli', [order]);
else rmSync('build/standalone/cli');
for (const system of systems) {
  compile(`cli-${system}`, [order, `--target=bun-${system}`, `--compile-executable-path=${runtimeOf(system)}`]);
}

/** The runtime of Bun for a system, from its npm package, whose digest is in the lock file. */
function runtimeOf(system) {
  const directory = join('build/runtimes', system);
  const [os, cpu] = system.split('-');
  mkdirSync(directory, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join('tools/standalone', name), join(directory, name));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', `--os=${os}`, `--cpu=${cpu}`, '--libc=glibc'];
  execFileSync('npm', ['ci', ...flags], { cwd: directory, stdio: ['ignore', 2, 2] });
  const packages = join(directory, 'node_modules/@oven');
  const [name, ...others] = readdirSync(packages);
  if (others.length > 0) throw new Error(`several runtimes for ${system}: ${[name, ...others].join(', ')}`);
  return join(packages, name, 'bin/bun');
}

/**
 * The option that lays out the bytecode by its use: a command touches fewer pages of the executable (`npm run bench:faults`).
 * Runs the commands that start most often.
 */
function orderOfUse(executable) {
  const directory = mkdtempSync(join(tmpdir(), 'cli-order-'));
  try {
    mkdirSync(join(directory, '.cli'));
    const file = { workflows: { one: { env: { NAME: 'one' }, steps: [{ run: 'true $NAME', if: 'true' }] } } };
    writeFileSync(join(directory, '.cli/workflow.json'), JSON.stringify(file));
    const lines = ['run one', 'run one --no-journal', 'list', 'run one -n', 'validate'];
    const paths = lines.map((line, index) => {
      const path = resolve('build/standalone', `${index}.order`);
      const env = { ...process.env, BUN_BYTECODE_ORDER_OUT: path };
      execFileSync(executable, line.split(' '), { cwd: directory, env, stdio: 'ignore' });
      return path;
    });
    return `--bytecode-order=${paths.join(',')}`;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function compile(name, flags = []) {
  execFileSync(
    'tools/standalone/node_modules/.bin/bun',
    [
      'build',
      '--compile',
      '--bytecode',
      '--minify',
      '--format=cjs',
      // Code that runs a few times is not worth compiling to machine code: `list` and a run of one step touch 200 pages less.
      '--compile-jit-policy=20',
      // Files in the working directory must not affect the tool.
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      ...flags,
      `--outfile=build/standalone/${name}`,
      'dist/cli.cjs',
    ],
    { stdio: ['ignore', 2, 2] },
  );
}
for (const name of readdirSync('build/standalone')) if (name.endsWith('.order')) rmSync(join('build/standalone', name));
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
