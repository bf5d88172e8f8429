import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { basename, join, parse, resolve } from 'node:path';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import { inlineRuntime } from './bundle.mjs';

const PLAYGROUND = 'packages/playground';

/** The modules of Node.js with a replacement in the browser. The others are empty: nothing in the page calls them. */
const REPLACED = {
  path: join(PLAYGROUND, 'node_modules/path-browserify/index.js'),
  buffer: join(PLAYGROUND, 'node/buffer.mjs'),
  url: join(PLAYGROUND, 'node/url.mjs'),
  fs: join(PLAYGROUND, 'node/none.cjs'),
};

/** Replaces the modules of Node.js. */
function withoutNode(bundler) {
  const filter = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);
  bundler.onResolve({ filter }, ({ path, importer }) => {
    const name = path.replace('node:', '');
    if (importer.includes('/node_modules/buffer/')) return undefined;
    return { path: resolve(REPLACED[name] ?? join(PLAYGROUND, 'node/none.cjs')) };
  });
}

/** The library's parts for one view, which the page loads when the view is first shown. */
const APART = /\/(conversion|comparison|exported_script|preview)\.ts$/;

/** Makes parts files of their own. They have no state, so that they may contain code of the page again. */
function splitParts(bundler) {
  bundler.onResolve({ filter: APART }, ({ kind, path }) =>
    kind === 'dynamic-import' ? { path: `./${basename(path, '.ts')}.js`, external: true } : undefined,
  );
}

/** The recipes of the cookbook that are examples of the playground. */
const RECIPES = ['Steps at the same time', 'Several environments', 'Always clean up', 'Several versions or targets'];

/** The names and texts of the examples: the files of examples/, and the first file of some recipes. */
export function examples() {
  const files = readdirSync('examples').filter((name) => name.endsWith('.json'));
  const ordered = files.toSorted((one, other) => Number(other === 'release.json') - Number(one === 'release.json'));
  const sections = readFileSync('docs/cookbook.md', 'utf8').split(/^## /m);
  return [
    ...ordered.map((name) => ({ name: parse(name).name, text: readFileSync(join('examples', name), 'utf8') })),
    ...RECIPES.map((name) => {
      const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? '';
      const text = /^```jsonc\n\/\/ \.cli\/workflow\.json\n([^]*?)^```$/m.exec(section)?.[1];
      if (text === undefined) throw new Error(`docs/cookbook.md has no file in '${name}'`);
      return { name, text };
    }),
  ];
}

/** Replaces the module of examples by one that contains them. */
function inlineExamples(bundler) {
  bundler.onLoad({ filter: /\/playground\/src\/page\/examples\.ts$/ }, () => ({
    contents: `export const EXAMPLES = ${JSON.stringify(examples())};`,
  }));
}

/** Bundles the playground into a directory: `playground.js` and its parts. Returns the names of the packages in it. */
export async function bundlePlayground(directory) {
  const parts = ['conversion', 'comparison', 'exported_script', 'preview'].map(
    (name) => `src/library/views/${name}.ts`,
  );
  const { metafile } = await build({
    entryPoints: [join(PLAYGROUND, 'src/playground.ts'), ...parts],
    outdir: directory,
    entryNames: '[name]',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    mainFields: ['module', 'main'],
    inject: [join(PLAYGROUND, 'node/globals.mjs')],
    define: { global: 'globalThis', 'import.meta.url': '"file:///"' },
    plugins: [
      { name: 'parts', setup: splitParts },
      { name: 'no Node.js', setup: withoutNode },
      { name: 'runtime of exported scripts', setup: inlineRuntime },
      { name: 'examples', setup: inlineExamples },
    ],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  cpSync(join(PLAYGROUND, 'static'), directory, { recursive: true });
  return metafile;
}

/** The library, bundled for Node.js from its sources. */
export async function loadLibrary() {
  const { outputFiles } = await build({
    entryPoints: ['src/api.ts'],
    mainFields: ['module', 'main'],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    define: { 'import.meta.url': '"file:///"' },
    logLevel: 'warning',
  });
  const module = { exports: {} };
  runInThisContext(`(function (module, require) {${outputFiles[0].text}\n})`)(module, createRequire(import.meta.url));
  return module.exports;
}
