import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, parse, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * The start-up optimisations. docs/releasing.md describes their effects, and `npm run bench:tricks` measures them.
 */
const TRICKS = { minify: true, format: 'cjs', isApart: () => true, withoutBallast: true };

const MAIN = 'src/main.ts';
/** The library: `import … from 'workflow-plan'`. */
const LIBRARY = 'src/api.ts';
/** The language server, which has packages of its own. */
const SERVER = 'packages/lsp/src/index.ts';
/** The page of runs: its server, and what the browser loads. */
const UI = 'packages/ui/src/index.ts';
const PAGE = 'packages/ui/src/page/main.ts';
/** The server for coding agents, which has packages of its own. */
const MCP = 'packages/mcp/src/index.ts';
const SESSION = 'packages/lsp/src/server/lsp_session.ts';
const YARGS = 'src/cli/command_line/yargs_parser.ts';
export const isYargs = (source) => source === YARGS;
/** yargs and the library use `import.meta.url`, which CommonJS does not have. */
const OWN_URL = {
  define: { 'import.meta.url': 'ownUrl' },
  banner: { js: 'const ownUrl=require("node:url").pathToFileURL(__filename).href;' },
};

/**
 * Bundles the executable and its lazily loaded parts into a directory. Each `await import(…)` becomes a separate file.
 * Code shared by several parts is duplicated, because opening another file takes longer than reading a larger one.
 * Returns the names of the bundled packages.
 */
export async function bundle(directory, tricks = {}) {
  const { minify, format, isApart, withoutBallast } = { ...TRICKS, ...tricks };
  const extension = format === 'cjs' ? '.cjs' : '.mjs';
  const sources = new Set([MAIN, LIBRARY, SERVER, UI, MCP]);
  const packages = new Set();
  const nameOf = (source) =>
    ({ [MAIN]: 'cli', [SERVER]: 'lsp', [UI]: 'ui', [MCP]: 'mcp' }[source] ?? basename(source, '.ts')) + extension;
  const split = (bundler) => {
    bundler.onResolve({ filter: /^\.\/lsp\.cjs$/ }, () => ({ path: `./${nameOf(SERVER)}`, external: true }));
    bundler.onResolve({ filter: /^\.\/ui\.cjs$/ }, () => ({ path: `./${nameOf(UI)}`, external: true }));
    bundler.onResolve({ filter: /^\.\/mcp\.cjs$/ }, () => ({ path: `./${nameOf(MCP)}`, external: true }));
    bundler.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
      const source = relative('.', resolve(resolveDir, path));
      if (kind !== 'dynamic-import' || !isApart(source)) return undefined;
      const twin = [...sources].find((other) => other !== source && nameOf(other) === nameOf(source));
      if (twin !== undefined) throw new Error(`${twin} and ${source} would both be ${nameOf(source)}: rename one`);
      sources.add(source);
      return { path: `./${nameOf(source)}`, external: true };
    });
  };
  const plugins = [
    { name: 'parts', setup: split },
    { name: 'runtime of exported scripts', setup: inlineRuntime },
    { name: 'script of the page', setup: (bundler) => inlinePage(bundler, packages) },
    ...(withoutBallast ? [{ name: 'no ballast', setup: lighten }] : []),
  ];
  for (const source of sources) {
    const { metafile } = await build({
      entryPoints: [source],
      outfile: join(directory, nameOf(source)),
      bundle: true,
      minify,
      format,
      platform: 'node',
      target: 'node20.19',
      mainFields: ['module', 'main'],
      ...(format === 'cjs' && ([LIBRARY, SESSION].includes(source) || isYargs(source) || !isApart(YARGS)) && OWN_URL),
      // Lazy imports become calls of require, which is faster than the ES module loader.
      ...(format === 'cjs' && { supported: { 'dynamic-import': false } }),
      plugins,
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
    });
    addPackages(packages, metafile);
  }
  return [...packages].toSorted((one, other) => (one < other ? -1 : 1));
}

/** Adds the names of the packages in a bundle. */
function addPackages(names, { outputs }) {
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /^(?:packages\/(?:lsp|mcp|ui)\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      if (name !== undefined && bytesInOutput > 0) names.add(name);
    }
  }
}

/** Replaces the module with the script of the page by one that contains it. */
function inlinePage(bundler, packages) {
  bundler.onLoad({ filter: /\/packages\/ui\/src\/server\/page_script\.ts$/ }, async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [PAGE],
      bundle: true,
      minify: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      target: 'es2022',
      // Of the tool, the page has only functions that need no module of Node.js.
      external: ['node:*', ...builtinModules],
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
    });
    const [{ text }] = outputFiles;
    const isPure = Object.values(metafile.outputs).every(({ imports }) => imports.length === 0);
    if (!isPure) throw new Error('the page imports a module of Node.js');
    addPackages(packages, metafile);
    return { contents: `export const PAGE_SCRIPT = ${JSON.stringify(text)};` };
  });
}

/** Replaces the module that reads the files of the runtime by one that contains them. */
export function inlineRuntime(bundler) {
  bundler.onLoad({ filter: /\/src\/export\/runtime_text\.ts$/ }, ({ path }) => {
    const directory = join(dirname(path), 'runtime');
    const texts = readdirSync(directory).map((name) => [parse(name).name, readFileSync(join(directory, name), 'utf8')]);
    const table = JSON.stringify(Object.fromEntries(texts));
    return { contents: `const texts = ${table}; export const runtimeText = (part) => texts[part];` };
  });
}

/** An enumeration, as TypeScript compiles it: an object filled at load, which takes more code than the rest of a module. */
const ENUMERATION = /^(?:export )?var (\w+);\n\(function \(\1\) \{\n[^]*?\n\}\)\(\1 \|\| \(\1 = \{\}\)\);$/gm;

/** Removes unused parts of packages that run code or load modules at the start. */
function lighten(bundler) {
  const unused = [
    { inside: 'jsonc-parser', filter: /^\.{1,2}\/(?:impl\/)?(?:edit|format|string-intern)$/ },
    { inside: 'yargs-parser', filter: /^node:module$/ },
    // Validators of JSON Schema, and the streams of the process.
    { inside: '@modelcontextprotocol/server', filter: /^@modelcontextprotocol\/server\/_shims$/ },
  ];
  for (const { inside, filter } of unused) {
    bundler.onResolve({ filter }, ({ importer }) =>
      importer.includes(`/node_modules/${inside}/`) ? { path: inside, namespace: 'unused' } : undefined,
    );
  }
  // The code of jsonc-parser contains the numbers of its enumerations, not their names.
  bundler.onLoad({ filter: /\/node_modules\/jsonc-parser\/lib\/esm\/(?:main|impl\/scanner)\.js$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace(ENUMERATION, ''),
  }));
  // Every import from the module is undefined.
  bundler.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
}

/** Bundles the package for runs on other machines. Its dependencies stay external. */
export async function bundlePostgres(directory) {
  await build({
    entryPoints: ['index', 'worker/launch_as_lost'].map((path) => ({
      in: join(directory, `src/${path}.ts`),
      out: basename(path),
    })),
    outdir: join(directory, 'dist'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    packages: 'external',
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
}
