import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/cli.ts';
import { filesInCycles, isOurs, readTree, withoutComments, withoutText, type Import } from '../support/code_text.ts';

const src = readTree('src');
const packages = readdirSync(join(ROOT, 'packages')).map((name) => readTree(`packages/${name}/src`));
const trees = [src, ...packages];
const { sources, imports } = src;
const rooms = [...trees.map(({ directory }) => directory), 'tests'];
const everything = rooms.flatMap((room) => [...readTree(room).sources]);
const directories = rooms.flatMap((room) => {
  const entries = readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [relative(ROOT, entry.parentPath)] : []));
});

/** The lines of code that match a pattern. */
function linesWith(pattern: RegExp): string[] {
  const files = trees.flatMap(({ directory, sources: all }) => [...all].map((file) => ({ directory, file })));
  return files.flatMap(({ directory, file: [path, text] }) => {
    const lines = [...withoutText(text).split('\n').entries()].filter(([, line]) => pattern.test(line));
    return lines.map(([index, line]) => `${directory}/${path}:${index + 1}: ${line.trim()}`);
  });
}

function show({ from, target }: Import): string {
  return `${from} imports ${target}`;
}

test('every relative import refers to an existing file', () => {
  assert.ok(sources.has('cli.ts') && sources.has('frontend/parse.ts'));
  for (const tree of trees) {
    const lost = tree.imports.filter((each) => isOurs(each) && !tree.sources.has(each.target));
    assert.deepEqual(lost.map(show), []);
    const all = [...tree.sources.values()].join('\n').match(/\sfrom '[^']+';$|\bimport\('/gm);
    assert.equal(tree.imports.length, all?.length);
  }
});

/** The directories with an order of their own: those of `src` that are only a group of rooms, too. */
const floors = [...trees, ...['cli', 'records'].map((room) => partOf(src, room))];

/** The files of one room of a tree, and the imports between them. */
function partOf(tree: typeof src, room: string): typeof src {
  const own = (path: string): boolean => path.startsWith(`${room}/`);
  const inside = (path: string): string => path.slice(room.length + 1);
  return {
    directory: `${tree.directory}/${room}`,
    sources: new Map([...tree.sources].filter(([path]) => own(path)).map(([path, text]) => [inside(path), text])),
    imports: tree.imports
      .filter(({ from, target }) => own(from) && own(target))
      .map((each) => Object.assign({}, each, { from: inside(each.from), target: inside(each.target) })),
  };
}

/** The rooms of a directory, importers first. Rooms of one group do not import each other. */
function importOrder(directory: string): string[][] {
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const line = contributing.split(`In \`${directory}\`:\n\n`)[1]?.split('\n')[0] ?? '';
  return line.split('→').map((group) => [...group.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

const roomOf = (path: string): string => path.split('/')[0] ?? '';

for (const tree of floors) {
  test(`rooms of ${tree.directory} import only from rooms to their right in the line of CONTRIBUTING.md`, () => {
    const order = importOrder(tree.directory);
    const levelOf = (path: string): number => order.findIndex((group) => group.includes(roomOf(path)));
    const found = new Set([...tree.sources.keys()].map(roomOf));
    assert.deepEqual([...found].toSorted(), order.flat().toSorted());
    const upward = tree.imports.filter(
      (each) => isOurs(each) && roomOf(each.from) !== roomOf(each.target) && levelOf(each.target) <= levelOf(each.from),
    );
    assert.deepEqual(upward.map(show), []);
  });
}

/** The names in lists of imports and exports. */
function namesIn(lists: readonly string[]): string[] {
  return [...new Set(lists.join(' ').match(/\b(?!type\b)[A-Za-z]+\b/g))].toSorted();
}

test('packages import from src only api.ts and internal.ts, which re-exports nothing else', () => {
  const outward = packages.flatMap((tree) => tree.imports.filter(({ target }) => target.startsWith('..')));
  const doors = ['../../../src/api.ts', '../../../src/internal.ts'];
  // The playground has the model of the language server.
  const model = /^\.\.\/\.\.\/lsp\/src\/(?:features|model)\//;
  const others = outward.filter(({ from, target }) => !(model.test(target) && from.startsWith('engine/')));
  assert.deepEqual([...new Set(others.map(({ target }) => target))].toSorted(), doors);
  const offered = sources.get('internal.ts')?.match(/\{[^}]*\}/g) ?? [];
  const texts = packages.flatMap((tree) => [...tree.sources.values()]).join('\n');
  const used = texts.match(/(?<=^import (?:type )?)\{[^}]*\}(?= from '[./]+\/src\/internal\.ts';)/gm) ?? [];
  assert.deepEqual(namesIn(offered), namesIn(used));
});

test('only the store of a package contains SQL, and the names of tables and columns', () => {
  for (const tree of packages.filter(({ directory }) => directory.includes('postgres'))) {
    const [store, others] = [true, false].map((isStore) =>
      [...tree.sources].filter(([path]) => path.startsWith('store/') === isStore),
    );
    const queries = (store ?? []).flatMap(([, text]) => withoutComments(text).match(/`[^`]*`/g) ?? []);
    const names = new Set(queries.join(' ').match(/\b[a-z]+(?:_[a-z]+)+\b/g));
    // The driver has a setting of this name.
    names.delete('application_name');
    assert.ok(names.has('workflow_status') && names.has('recovery_attempts'));
    const isSql = new RegExp(`\\.query\\(|\\b(?:${[...names].join('|')})\\b`);
    assert.deepEqual(
      (others ?? []).flatMap(([path, text]) => (isSql.test(withoutComments(text)) ? [path] : [])),
      [],
    );
  }
});

test('no directory of src, packages or tests contains more than 14 files', () => {
  const crowded = [...new Set(directories)].filter((one) => directories.filter((each) => each === one).length > 14);
  assert.deepEqual(crowded, []);
});

test('no two lazily loaded parts of the bundle have the same name', () => {
  const parts = [...sources].flatMap(([path, text]) =>
    [...withoutComments(text).matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, named = '']) => join(dirname(path), named)),
  );
  const isTaken = (path: string): boolean => parts.some((part) => part !== path && basename(part) === basename(path));
  assert.deepEqual(parts.filter(isTaken), []);
});

test('src/ir imports only types from the frontend', () => {
  const down = imports.filter(({ from, target }) => from.startsWith('ir/') && target.startsWith('frontend/'));
  assert.notEqual(down.length, 0);
  assert.deepEqual(down.filter(({ typesOnly }) => !typesOnly).map(show), []);
});

test('src/cli/driver, src/cli/engine and src/cli/run_data print nothing: what they report is data', () => {
  const printers = /^(?:cli\/output\/(?:io|document|paint|messages\/print_\w+)|backend\/system\/write)\.ts$/;
  const driver = imports.filter(({ from, typesOnly }) => /^cli\/(?:driver|engine|run_data)\//.test(from) && !typesOnly);
  assert.deepEqual(driver.filter(({ target }) => printers.test(target)).map(show), []);
});

test('flags are named only where words are read, completed and explained: others read the properties of the options', () => {
  const readers = /^cli\/(?:command_line|completion|commands\/help)\//;
  const others = imports.filter(({ from, target }) => target === 'cli/command_line/flags.ts' && !readers.test(from));
  assert.deepEqual(others.map(show), []);
});

test('only main.ts imports cli.ts, and nothing imports main.ts', () => {
  const up = imports.filter(({ target }) => ['cli.ts', 'main.ts'].includes(target)).map(show);
  assert.deepEqual(up, ['main.ts imports cli.ts']);
});

/** The files that may import each package, and those of packages/postgres that may import more than types. */
const DOORS: Readonly<Record<string, RegExp>> = {
  valibot:
    /^(?:frontend\/(?:schema|json_schema|check)\/|records\/(?:journal\/(?:record|directory\/recorded_plan)\.ts$|locks\/|up_to_date\/)|cli\/(?:engine\/run_channel|run_data\/start_message)\.ts$)/,
  '@valibot/to-json-schema': /^frontend\/json_schema\//,
  chokidar: /^cli\/commands\/watch\/watch\.ts$/,
  ignore: /^cli\/commands\/watch\/watched_paths\.ts$/,
  picomatch: /^records\/up_to_date\/wildcards\.ts$/,
  dotenv: /^cli\/driver\/variables\/dotenv\.ts$/,
  'jsonc-parser': /^(?:frontend\/syntax\/json_problems|backend\/outputs\/json_text)\.ts$/,
  tinyexec: /^backend\/system\/run_program\.ts$/,
  'fastest-levenshtein': /^frontend\/diagnostics\/suggest\.ts$/,
  yaml: /^cli\/commands\/init\/importers\/task\//,
  yargs: /^cli\/command_line\/yargs_parser\.ts$/,
  pg: /^database\/connection\.ts$/,
  '@dbos-inc/dbos-sdk': /^(?:database\/dbos|store\/migrate|worker\/(?:worker|lock|launch_as_lost))\.ts$/,
  '@dbos-inc/dbos-sdk/internal': /^worker\/engine_internals\.ts$/,
  'vscode-languageserver': /^server\//,
  'vscode-languageserver/node': /^server\/server\.ts$/,
  'vscode-languageserver-textdocument': /^(?:server\/server|engine\/language)\.ts$/,
  'vscode-languageserver-types': /^(?:features|model)\//,
  '@modelcontextprotocol/server': /^server\//,
  '@modelcontextprotocol/server/stdio': /^server\/server\.ts$/,
  preact: /^(?:page\/|views\/|playground\.ts$)/,
  'preact/hooks': /^(?:page|views)\//,
  ...Object.fromEntries(
    ['autocomplete', 'commands', 'lang-json', 'language', 'lint', 'state', 'view'].map((name) => [
      `@codemirror/${name}`,
      /^editor\//,
    ]),
  ),
  '@lezer/highlight': /^editor\//,
  vscode: /^extension\.ts$/,
  'vscode-languageclient/node': /^extension\.ts$/,
  'shell-quote/quote.js': /^base\/shell_word\.ts$/,
};

for (const { directory, imports: all } of trees) {
  test(`${directory} imports each package only in its permitted place, and has it as a dependency`, () => {
    const outside = all.filter(
      ({ target }) => !/\.c?[jt]s$/.test(target.replace('quote.js', '')) && !target.startsWith('node:'),
    );
    const strays = outside.filter(({ from, target, typesOnly }) => {
      const door = DOORS[target.replace(/\/internal\/.*/, '/internal')];
      return door?.test(from) !== true && !(typesOnly && directory !== 'src' && door !== undefined);
    });
    assert.deepEqual(strays.map(show), []);
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, dirname(directory), 'package.json'), 'utf8'));
    assert.ok(typeof manifest === 'object' && manifest !== null);
    const development = 'devDependencies' in manifest ? manifest.devDependencies : {};
    // The packages of src are in the bundle, so the published package has no dependencies.
    assert.equal('dependencies' in manifest, directory !== 'src');
    const installed = Object.keys(('dependencies' in manifest ? manifest.dependencies : development) ?? {});
    // VS Code itself provides the package of its name.
    installed.push('vscode');
    const lost = outside.filter(({ target }) => !installed.includes(/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? ''));
    assert.deepEqual(lost.map(show), []);
  });
}

/** The entries of a directory, files and rooms, that import each other in a circle. */
function entriesInCycles(directory: string): readonly string[] {
  const entryOf = (path: string): string =>
    relative(directory, path).startsWith('..') ? '' : (relative(directory, path).split('/')[0] ?? '');
  const edges = imports
    .map((each) => Object.assign({}, each, { from: entryOf(each.from), target: entryOf(each.target) }))
    .filter(({ from, target }) => from !== '' && target !== '' && from !== target);
  const entries = new Map([...sources].map(([path, text]) => [entryOf(path), text]));
  return filesInCycles({ sources: entries, imports: edges }).map((entry) => join(directory, entry));
}

test('there are no cycles between the entries of a directory, files and rooms', () => {
  const inside = new Set(['cli', 'records', ...[...sources.keys()].map(dirname)]);
  assert.deepEqual([...inside].flatMap(entriesInCycles), []);
});

test('there are no import cycles', () => {
  assert.deepEqual(trees.flatMap(filesInCycles), []);
});

function filesLongerThan(limit: number): string[] {
  return everything.flatMap(([path, text]) => (text.trimEnd().split('\n').length > limit ? [path] : []));
}

test('no file has more than 400 lines', (t) => {
  assert.deepEqual(filesLongerThan(400), []);
  for (const path of filesLongerThan(250)) t.diagnostic(`${path} has more than 250 lines: does it have one idea?`);
});

test('`as` occurs only in `as const` and in imports', () => {
  const types = 'unknown|any|never|string|number|boolean|object|bigint|typeof|keyof|readonly';
  assert.deepEqual(linesWith(new RegExp(`\\bas\\s+(?:(?:${types})\\b|[A-Z{[(])`)), []);
});

test('`any` and `!` assertions do not occur', () => {
  assert.deepEqual(linesWith(/[:<|&(,=]\s*any\b/), []);
  assert.deepEqual(linesWith(/[\w)\]]!(?:[.;,)[\]}\s]|$)/), []);
});

test('no check of the compiler, the linter or the formatter is suppressed', () => {
  const off = /(?:ox|es)lint-disable|@ts-(?:ignore|expect-error|nocheck)|(?:oxfmt|prettier)-(?:ignore)/;
  const found = everything.flatMap(([path, source]) => (off.test(source) ? [path] : []));
  assert.deepEqual(found, []);
});
