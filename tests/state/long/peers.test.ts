/*
 * The decisions of other tools after the same changes, beside those of this one. docs/reference/up-to-date.md has the table,
 * which `UPDATE_DOCS=1 npm run test:checks` writes.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import { finish, ROOT } from '../../support/cli.ts';
import { CHANGES, type Change } from '../../support/peers/changes.ts';
import { Project } from '../../support/peers/project.ts';
import { TOOLS, type Tool } from '../../support/peers/tools.ts';

const PAGE = join(ROOT, 'docs/reference/up-to-date.md');

before(async () => {
  for (const tools of ['tools/just', 'tools/peers']) {
    const { code, stderr } = await finish(process.execPath, ['scripts/setup.mjs', tools], { cwd: ROOT });
    assert.equal(code, 0, stderr);
  }
});

/** What a tool does after a change. A wrong decision is bold. */
async function decision(t: TestContext, tool: Tool, { needed, make }: Change): Promise<string> {
  const project = new Project(t, tool);
  const first = await project.run();
  assert.equal(first.code, 0, `${tool.name}: ${first.stderr}`);
  await make(project);
  const [before, runs] = [project.made(), project.runs()];
  const { code } = await project.run();
  const [clean, after, hasRun] = [await project.clean(t), project.made(), project.runs() > runs];
  if (clean.succeeds !== (code === 0)) return code === 0 ? '**succeeds**' : '**fails**';
  if (clean.succeeds && after !== clean.made) return hasRun ? '**runs, wrong**' : '**skips**';
  if (hasRun) return needed ? 'runs' : '**runs**';
  return after === before ? 'skips' : 'restores';
}

async function reason(t: TestContext, tool: Tool): Promise<string> {
  const project = new Project(t, tool);
  await project.run();
  project.write('src/b.txt', 'other');
  const { stdout, stderr } = await project.run();
  return `${stdout}${stderr}`.includes('src/b.txt') ? 'yes' : '**no**';
}

async function runsOfBase(t: TestContext, tool: Tool): Promise<string> {
  const project = new Project(t, tool);
  const { code, stderr } = await project.run('all');
  assert.equal(code, 0, stderr);
  return project.runs('base.log') === 1 ? 'once' : '**twice**';
}

const ROWS: readonly (readonly [title: string, cell: (t: TestContext, tool: Tool) => Promise<string>])[] = [
  ...CHANGES.map((change) => [change.title, (t: TestContext, tool: Tool) => decision(t, tool, change)] as const),
  ['the output names the edited source', reason],
  ['a task that two others need runs', runsOfBase],
];

/** Whether the tools decide differently. */
function isTold([, ...decisions]: readonly string[]): boolean {
  return new Set(decisions).size > 1;
}

/** Lines of a table, with columns of one width each. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = '', ...others] = rows.map(line);
  return [first, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...others];
}

test('the decisions of make, just, mise, wireit and this tool after each change are as the reference says', async (t) => {
  const cells = await Promise.all(
    TOOLS.map(async (tool) => {
      const column: string[] = [];
      for (const [, cell] of ROWS) column.push(await cell(t, tool));
      return column;
    }),
  );
  const rows = ROWS.map(([title], row) => [title].concat(cells.map((column) => column[row] ?? '')));
  const found = table([['After a run', ...TOOLS.map(({ name }) => `\`${name}\``)], ...rows.filter(isTold)]);
  const text = readFileSync(PAGE, 'utf8');
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('| After a run'));
  assert.notEqual(start, -1);
  const size = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  if (process.env['UPDATE_DOCS'] === '1') {
    lines.splice(start, size, ...found);
    writeFileSync(PAGE, lines.join('\n'));
  } else assert.deepEqual(lines.slice(start, start + size), found);
  assert.doesNotMatch(cells[0]?.join('\n') ?? '', /\*/);
});
