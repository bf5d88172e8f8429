/*
 * Runs the examples in the documents. A `jsonc`, `js` or `python` block is a file, whose path is in its first line. A
 * `console` block is a shell session in an empty directory with the files shown above it in the same section.
 * `UPDATE_DOCS=1` writes the actual output. Times are not compared.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMAND_LINE, finish, temporaryDirectory, ROOT, type CommandOptions } from '../support/cli.ts';
import { anchor, commandsOf, FILES, parseMarkdown, SESSION, sessionScript } from '../support/goldens/markdown.ts';
import type { Session } from '../support/goldens/markdown.ts';
import { repeatedSentences } from '../support/goldens/sentences.ts';
import { inProcess, toolInProcess } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { REPOSITORY } from '../support/package.ts';
import { screenText, timeless } from '../support/processes/screen.ts';
import { terminal } from '../support/processes/terminal.ts';

/** The directory of the reference. */
const REFERENCE = 'docs/reference';

/** Paths of every Markdown file in the root of the repository and below `docs`, and of two others. */
const DOCUMENTS = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((path) => join('docs', path)),
  'tests/README.md',
  'benchmark/results.md',
]
  .filter((path) => path.endsWith('.md'))
  .toSorted();

const WITHOUT_SESSIONS = new Set([
  'benchmark/results.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'docs/README.md',
  'docs/agents.md',
  'docs/ci.md',
  'docs/design.md',
  'docs/editors.md',
  'docs/page.md',
  'docs/performance.md',
  'docs/releasing.md',
  'docs/scaling.md',
  'tests/README.md',
  ...['README', 'execution', 'limits', 'resuming'].map((page) => `${REFERENCE}/${page}.md`),
]);

/** The packages that the sessions of a document need, in the form of `needs`. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['python3'],
  'docs/cookbook.md': ['jq', 'python3'],
  'docs/embedding.md': ['jq', 'python3'],
  'docs/secrets.md': ['age', 'gpg', 'pass'],
  'docs/tutorial.md': ['jq', 'python3'],
  'docs/when-a-run-fails.md': ['jq'],
};

/** The programs that a stand-in replaces in the sessions of a document. */
const STAND_INS: Readonly<Record<string, readonly string[]>> = {
  'docs/secrets.md': ['op', 'vault', 'sops', 'aws', 'gcloud', 'security'],
};

/** The permitted languages of blocks. */
const LANGUAGES = new Set([...FILES, SESSION, 'lua', 'sh', 'sql', 'text', 'toml']);

/** The documents whose sessions show what a terminal of 80 columns shows. */
const AT_A_TERMINAL = new Set(['README.md', 'docs/tutorial.md']);

const UPDATE = process.env['UPDATE_DOCS'] === '1';

for (const name of DOCUMENTS) {
  test(
    `the examples of ${name} print the output it shows`,
    { timeout: 300_000, ...needs(...(PROGRAMS[name] ?? [])) },
    async (t) => {
      const path = join(ROOT, name);
      const markdown = readFileSync(path, 'utf8');
      const { blocks, sessions } = parseMarkdown(markdown);
      assert.deepEqual(
        blocks.filter(({ language }) => !LANGUAGES.has(language)),
        [],
      );
      assert.equal(sessions.length > 0, !WITHOUT_SESSIONS.has(name), 'sessions to run');
      const lines = markdown.split('\n');
      for (const session of sessions.toReversed()) {
        const printed = await replay(t, session, name);
        const { line, text } = session.block;
        const [actual, expected] = [withoutNames(printed), withoutNames(text)];
        if (!UPDATE) assert.equal(actual, expected, `${name}:${line}`);
        else if (actual !== expected)
          lines.splice(line - 1, text.split('\n').length - 1, ...printed.split('\n').slice(0, -1));
      }
      if (UPDATE) writeFileSync(path, lines.join('\n'));
    },
  );

  test(`every link of ${name} leads to an existing target`, () => {
    for (const link of parseMarkdown(readFileSync(join(ROOT, name), 'utf8')).links) {
      const inRepository = pathOf(link);
      if (inRepository === undefined && /^https?:/.test(link)) continue;
      const [file = '', heading] = (inRepository ?? join(dirname(name), link)).split('#');
      const target = link.startsWith('#') ? join(ROOT, name) : join(ROOT, file);
      assert.ok(existsSync(target), link);
      if (heading === undefined) continue;
      const { headings } = parseMarkdown(readFileSync(target, 'utf8'));
      assert.ok(headings.map(anchor).includes(heading), link);
    }
  });
}

test('no page repeats a sentence of another', () => {
  const pages = DOCUMENTS.filter((name) => name !== 'CHANGELOG.md' && name !== 'tests/README.md');
  const texts = new Map(pages.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')] as const));
  assert.deepEqual(repeatedSentences(texts), []);
  const [first = ''] = texts.values();
  assert.ok(repeatedSentences(new Map([...texts, ['copy.md', first]])).length > 5);
});

/** The path of a file or directory of this repository in an address on GitHub. */
function pathOf(link: string): string | undefined {
  return [`${REPOSITORY}/blob/main/`, `${REPOSITORY}/tree/main/`].flatMap((start) =>
    link.startsWith(start) ? link.slice(start.length) : [],
  )[0];
}

test('the links of README.md are absolute, because the package contains no other document', () => {
  const { links } = parseMarkdown(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  assert.deepEqual(
    links.filter((link) => !/^(?:https:|#)/.test(link)),
    [],
  );
});

test('no command needs a package of ours on the npm registry, which has none yet', () => {
  const lines = [...DOCUMENTS, 'action.yml', 'packages/postgres/README.md', 'packages/vscode/README.md'].flatMap(
    (name) => readFileSync(join(ROOT, name), 'utf8').split('\n'),
  );
  const pattern = /\bnpx\b.*\bworkflow|\bnpm (?:i|install)\b.* workflow-plan/;
  assert.deepEqual(
    lines.filter((line) => pattern.test(line)),
    [],
  );
});

test('every document can be reached by links from README.md', () => {
  const found = new Set(['README.md']);
  for (const name of found) {
    for (const link of linksOf(name)) {
      const [path = ''] = (pathOf(link) ?? join(dirname(name), link)).split('#');
      if (path.endsWith('.md') && existsSync(join(ROOT, path))) found.add(path);
    }
  }
  assert.deepEqual([...found].toSorted(), DOCUMENTS);
});

test('the contents of the reference list every page', () => {
  const pages = DOCUMENTS.filter((path) => dirname(path) === REFERENCE).map((path) => basename(path));
  assert.deepEqual(['README.md', ...linksOf(`${REFERENCE}/README.md`)].toSorted(), pages);
});

function linksOf(name: string): readonly string[] {
  return parseMarkdown(readFileSync(join(ROOT, name), 'utf8')).links;
}

/** Removes times, and the slowest steps of a summary, which depend on them. */
function withoutNames(text: string): string {
  return timeless(text).replaceAll(/^ {2}slowest .*\n(?: {11}.*\n)*/gm, '  slowest <steps>\n');
}

/** Runs a session in an empty directory, with `cli` in PATH and no variables of the tests. */
async function replay(t: TestContext, session: Session, document: string): Promise<string> {
  const place = temporaryDirectory(t);
  const work = join(place, 'work');
  const bin = join(place, 'bin');
  mkdirSync(work);
  mkdirSync(bin);
  // Where programs in the directory of the session find the package.
  mkdirSync(join(place, 'node_modules'));
  symlinkSync(ROOT, join(place, 'node_modules/workflow-plan'));
  writeFileSync(join(bin, 'cli'), `#!/bin/sh\nexec ${COMMAND_LINE} "$@"\n`, { mode: 0o755 });
  const standIn = join(ROOT, 'tests/support/recipes/stand_in.bash');
  for (const name of STAND_INS[document] ?? []) symlinkSync(standIn, join(bin, name));
  for (const [path, text] of Object.entries(session.files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  const own = Object.keys(process.env).map((name) => [name, undefined]);
  const env = { ...Object.fromEntries(own), PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: place, LC_ALL: 'C' };
  if (AT_A_TERMINAL.has(document)) {
    const script = `stty cols 80\n${sessionScript(session)}printf 'end of session'`;
    const shown = terminal(t, work, 'bash', ['-c', script], { ...env, TERM: 'xterm', NO_COLOR: '1' });
    const screen = await shown.shows('end of session');
    await shown.ended;
    return screenText(screen).replace(/end of session$/, '');
  }
  const needsShell = [...commandsOf(session), ...Object.values(session.files)].some((text) => OF_A_SHELL.test(text));
  if (needsShell || process.env['TESTED_COMMAND'] !== undefined) {
    const { stdout, stderr } = await finish('bash', ['-c', sessionScript(session)], { cwd: work, env });
    return stdout + stderr;
  }
  return byCommand(t, session, { cwd: work, env });
}

/** What needs one shell for the session, or a process for cli. */
const OF_A_SHELL = /\b(?:cd|export)\b|\$PPID/;

/** A call of cli with words that a shell passes on unchanged. */
const PLAIN_CALL = /^cli(?: [\w.:=,/-]+)+$/;

/** Replays a session with a shell for each command, and none for a plain call of cli, which takes ten times as long. */
async function byCommand(t: TestContext, session: Session, options: CommandOptions): Promise<string> {
  let printed = '';
  let status = 0;
  for (const command of commandsOf(session)) {
    const { code, stdout } = PLAIN_CALL.test(command)
      ? await inProcess(t, command.split(' ').slice(1), options, toolInProcess(t, true))
      : await finish('bash', ['-c', `exec 2>&1\n(exit ${status})\n${command}`], options);
    printed += `$ ${command}\n${stdout}`;
    status = code ?? 0;
  }
  return printed;
}
