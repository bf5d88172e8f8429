import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/cli.ts';

const SOURCES = [
  'src',
  'packages/lsp/src',
  'packages/mcp/src',
  'packages/ui/src',
  'packages/playground/src',
  'packages/postgres/src',
  'site',
  'scripts',
  'benchmark',
].flatMap((directory) =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|mjs)$/.test(path) && !/node_modules|^dist/.test(path))
    .map((path) => ({ path: join(directory, path), text: readFileSync(join(ROOT, directory, path), 'utf8') })),
);

/** The library, which other programs use. */
const LIBRARY = 'src/api.ts';

/** Parts that only tests use from outside of their file. */
const TESTED: readonly string[] = [
  'packages/postgres/src/index.ts: createEngine',
  'src/cli/command_line/quick_parser.ts: readQuickly',
  'src/cli/reporters/output/output_mode.ts: AGENTS',
  'src/frontend/parse.ts: parseWorkflowFile',
  'src/ir/secret_names.ts: PUBLIC_ENDS',
  'src/ir/secret_names.ts: SECRET_WORDS',
  'src/records/journal/holder/holder.ts: livenessOf',
];

test('each exported function and constant is used by another file', () => {
  const unused = SOURCES.filter(({ path }) => path !== LIBRARY).flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !SOURCES.some((other) => other.path !== path && new RegExp(`\\b${name}\\b`).test(other.text)))
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(unused.toSorted(), TESTED);
});
