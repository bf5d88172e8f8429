// `npm run bench:page`: what the page of runs costs: its server with 200 recorded runs, and Chromium with the list open.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { copyRun } from './records.mjs';

const [RUNS, ROUNDS, IDLE] = [200, Number(process.env.ROUNDS ?? 11), 20];
const directory = resolve('build/bench/page');
const command = [process.execPath, resolve('dist/cli.cjs')];
const env = { ...process.env, XDG_STATE_HOME: join(directory, 'state') };
for (const name of ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'CLI_NO_JOURNAL', 'CLI_RUNS_DIR']) delete env[name];
rmSync(directory, { recursive: true, force: true });
mkdirSync(join(directory, '.cli'), { recursive: true });
const steps = Array.from({ length: 10 }, (_, index) => ({ name: `step ${index}`, run: 'echo done' }));
writeFileSync(join(directory, '.cli/workflow.json'), JSON.stringify({ workflows: { release: { steps } } }));

/** The time from the start of a navigation to its first paint with content, in milliseconds. */
const PAINT = `new Promise((done) => {
  const report = (list) => list.getEntriesByName('first-contentful-paint').forEach(({ startTime }) => done(startTime));
  new PerformanceObserver(report).observe({ type: 'paint', buffered: true });
})`;

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** The CPU time of a process in milliseconds: the first field of schedstat, in nanoseconds, of all its threads. */
function cpuTime(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

const memory = (pid) => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1000;

/** Starts a server; returns it and the address that it prints. */
async function serve() {
  const server = spawn(command[0], [command[1], 'ui'], { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await new Promise((done) => {
    let printed = '';
    server.stderr.setEncoding('utf8').on('data', (text) => {
      printed += text;
      const [found] = /http:\S+/.exec(printed) ?? [];
      if (found !== undefined && printed.endsWith('\n')) done(found);
    });
  });
  return { server, address };
}

copyRun({ cwd: directory, command: [...command, 'run', 'release', '--logs', '-q'], env, count: RUNS });
const { chromium } = createRequire(import.meta.url)('playwright-core');
const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const tab = await browser.newPage();
const devtools = await tab.context().newCDPSession(tab);
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });

/** The CPU time of the tab's main thread, in milliseconds. */
async function tabTime() {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

const [paints, times] = [[], []];
let served;
for (let round = 0; round < ROUNDS; round += 1) {
  served?.server.kill();
  served = await serve();
  const before = cpuTime(served.server.pid);
  await tab.goto(served.address);
  await tab.locator(`tr[data-run]:nth-child(${RUNS})`).waitFor();
  paints.push(await tab.evaluate(PAINT));
  times.push(cpuTime(served.server.pid) - before + (await tabTime()));
}
const { pid } = served.server;
for (let round = 0; round < ROUNDS; round += 1) {
  await tab.reload();
  await tab.locator(`tr[data-run]:nth-child(${RUNS})`).waitFor();
}
await delay(3000);
const before = cpuTime(pid);
await delay(IDLE * 1000);
const idle = (cpuTime(pid) - before) / (IDLE * 10);
const peak = memory(pid);
await browser.close();
served.server.kill();
const size = statSync('dist/ui.cjs').size / 1000;
const rows = [
  [`first paint of ${RUNS} runs`, `${median(paints).toFixed(0)} ms`, '≤ 300 ms', median(paints) <= 300],
  ['CPU time of the server and of the tab until then', `${median(times).toFixed(0)} ms`, '', true],
  ['memory of the server, at most', `${peak.toFixed(0)} MB`, '≤ 70 MB', peak <= 70],
  ['CPU of the server with a page open', `${idle.toFixed(2)} %`, '≤ 0.5 %', idle <= 0.5],
  ['`dist/ui.cjs`, with all that the browser loads', `${size.toFixed(0)} KB`, '≤ 120 KB', size <= 120],
];
process.stdout.write(`load ${loadavg()[0].toFixed(1)}, Node.js ${process.version}\n`);
for (const [name, value, target, isMet] of rows)
  process.stdout.write(`| ${name} | ${isMet ? value : `**${value}**`} | ${target} |\n`);
rmSync(directory, { recursive: true, force: true });
