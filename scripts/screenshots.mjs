// `npm run screenshots`: draws the picture in README.md. Runs the first workflow file of README.md with the program in
// dist in a pseudo-terminal, interprets the output with xterm, and writes the cells as SVG.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const { Terminal } = createRequire(resolve('tools/screenshots/package.json'))('@xterm/headless');

const COLUMNS = 80;
const ROWS = 60;
const FONT_SIZE = 14;
const CELL = { width: 8.4, height: 20 };
const PADDING = 16;
const TITLE_BAR = 34;

/** The colours of the terminal, for light and dark pages. `faint` is the appearance of SGR 2. */
const LIGHT = { back: '#ffffff', line: '#d1d9e0', text: '#1f2328', faint: '#59636e', red: '#c21c2c', green: '#116329' };
const DARK = { back: '#0d1117', line: '#3d444d', text: '#e6edf3', faint: '#9198a1', red: '#ff7b72', green: '#56d364' };

/** The numbers of the basic colours (ECMA-48, 8.3.117) that the program uses. */
const NAMES = new Map([
  [1, 'red'],
  [2, 'green'],
]);

const COMMAND = 'run deploy VERSION:1.2.0';
const NOTES = '1.2.0: starts faster\n';

const directory = process.argv[2] ?? 'docs/images';
const [, file] = /```jsonc\n(.*?)```/s.exec(readFileSync('README.md', 'utf8'));
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'run.svg'), draw(await record(file, COMMAND)));

/** Runs a command in a pseudo-terminal. Returns the rows of its screen: runs of cells with the same style. */
async function record(file, command) {
  const cwd = mkdtempSync(join(tmpdir(), 'screenshot-'));
  mkdirSync(join(cwd, '.cli'));
  writeFileSync(join(cwd, '.cli/workflow.json'), file);
  writeFileSync(join(cwd, 'notes.txt'), NOTES);
  const script = `stty cols ${COLUMNS} rows ${ROWS}; "$NODE" "$CLI" ${command}`;
  const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...inherited } = process.env;
  const env = { ...inherited, TERM: 'xterm-256color', NODE: process.execPath, CLI: resolve('dist/cli.cjs') };
  const child = spawn('python3', [resolve('tests/support/processes/terminal.py'), 'bash', '-c', script], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  terminal.write(`\x1b[2m$\x1b[0m cli ${command}\r\n`);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, shown] = /^shows (.*)$/.exec(line) ?? [];
    if (shown === undefined) break;
    await new Promise((written) => terminal.write(Buffer.from(JSON.parse(shown), 'latin1'), written));
  }
  child.stdin.end();
  rmSync(cwd, { recursive: true });
  return rowsOf(terminal.buffer.active);
}

function rowsOf(buffer) {
  const rows = [];
  for (let y = 0; y < buffer.baseY + buffer.cursorY; y += 1) {
    const runs = [];
    const line = buffer.getLine(y);
    const { length } = line.translateToString(true);
    for (let x = 0; x < length; x += 1) {
      const cell = line.getCell(x);
      const colour = cell.isFgDefault() ? [] : [NAMES.get(cell.getFgColor())];
      const style = [...colour, cell.isBold() ? 'bold' : [], cell.isDim() ? 'faint' : []].flat().join(' ');
      const last = runs.at(-1);
      if (last?.style === style) last.text += cell.getChars() || ' ';
      else runs.push({ style, text: cell.getChars() || ' ', column: x });
    }
    rows.push(runs);
  }
  return rows;
}

function draw(rows) {
  const width = COLUMNS * CELL.width + 2 * PADDING;
  const height = TITLE_BAR + rows.length * CELL.height + 2 * PADDING;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A run at a terminal">
<style>
  svg { ${variables(LIGHT)} }
  @media (prefers-color-scheme: dark) { svg { ${variables(DARK)} } }
  text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: var(--text) }
  rect { fill: var(--back); stroke: var(--line) }
  line { stroke: var(--line) }
  circle { fill: var(--line) }
  .bold { font-weight: 700 }
  .faint { fill: var(--faint) }
  .red { fill: var(--red) }
  .green { fill: var(--green) }
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<line x1="0" y1="${TITLE_BAR}" x2="${width}" y2="${TITLE_BAR}"/>
${[0, 1, 2].map((index) => `<circle cx="${PADDING + 6 + index * 18}" cy="${TITLE_BAR / 2}" r="6"/>`).join('')}
${rows.map((runs, index) => `<g class="row">${runs.map((run) => drawRun(run, index)).join('')}</g>`).join('\n')}
</svg>
`;
}

function variables(colours) {
  return Object.entries(colours)
    .map(([name, value]) => `--${name}: ${value}`)
    .join('; ');
}

/** A run of cells. Its length is fixed, so that columns align in every font. */
function drawRun({ style, text, column }, row) {
  const x = (PADDING + column * CELL.width).toFixed(1);
  const y = TITLE_BAR + PADDING + (row + 0.75) * CELL.height;
  const length = ([...text].length * CELL.width).toFixed(1);
  const attribute = style === '' ? '' : ` class="${style}"`;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${attribute}>${escape(text)}</text>`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
