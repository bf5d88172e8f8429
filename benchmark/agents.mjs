// `npm run bench:agents`: what the server for coding agents and digests cost, in CPU time: medians of rounds, measured in
// turn.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { directory } from './inputs.mjs';
import { compare, task } from './measure.mjs';
import { table } from './table.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const [FIRST, ALL] = [100, 1000];
const root = resolve('build/bench/agents');
rmSync(root, { recursive: true, force: true });
const cwd = directory(root, 'example', { '.cli/workflow.json': readFileSync('examples/release.json', 'utf8') });

const cli = resolve('dist/cli.cjs');
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const request = (method, params = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } })}\n`;
const plan = request('tools/call', { name: 'plan_workflow', arguments: { workflow: 'release' } });

/** Node.js with arguments, which reads the request from a file. */
const reading = (name, ...args) =>
  task(name, ['sh', '-c', 'exec "$0" "$@" < list.json', process.execPath, ...args], { cwd });
writeFileSync(`${cwd}/list.json`, request('tools/list'));

const starts = compare(
  [reading('node -e 0', '-e', '0'), reading('cli mcp, until tools/list is answered', cli, 'mcp')],
  ROUNDS,
);
const planned = (name, ...args) => task(name, [process.execPath, cli, 'plan', 'release', ...args], { cwd });
const digests = compare([planned('cli plan'), planned('cli plan --digest', '--digest')], ROUNDS);

/** Sends requests one after the other, and waits for each answer. */
async function ask(input, lines, count) {
  for (let each = 0; each < count; each += 1) {
    input.write(plan);
    const { value } = await lines.next();
    if (JSON.parse(value).result?.structuredContent?.workflow !== 'release') throw new Error(`no plan: ${value}`);
  }
}

const linesOf = (stream) => createInterface({ input: stream })[Symbol.asyncIterator]();

/** The memory of a server after the first plans and after all, in megabytes. */
async function residentMemory() {
  const child = spawn(process.execPath, [cli, 'mcp'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = linesOf(child.stdout);
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))[1]) / 1000;
  await ask(child.stdin, lines, FIRST);
  const first = memory();
  await ask(child.stdin, lines, ALL - FIRST);
  const all = memory();
  child.stdin.end();
  await once(child, 'close');
  return [first, all];
}

/** The live memory of this process, in megabytes. */
function live() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / 1e6;
}

/** A server in this process: the CPU time of a plan, in milliseconds, and its live memory in megabytes. */
async function liveMemory() {
  const { serve } = createRequire(import.meta.url)('../dist/mcp.cjs');
  const [input, output] = [new PassThrough(), new PassThrough()];
  const file = resolve('examples/release.json');
  const options = { file, isFileNamed: true, words: [], args: [], quiet: false, noJournal: false };
  serve({ io: { stdin: 0, stdout: 1, stderr: 2, env: {} }, options, input, output, exit: () => undefined });
  const lines = linesOf(output);
  const cpu = async (count) => {
    const before = process.cpuUsage();
    await ask(input, lines, count);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / count;
  };
  const cold = await cpu(FIRST);
  const first = live();
  const warm = await cpu(ALL - FIRST);
  return { cold, warm, first, all: live() };
}

const print = (line) => process.stdout.write(`${line}\n`);
const { cold, warm, first, all } = await liveMemory();
const [residentFirst, residentAll] = await residentMemory();
print(`${table(starts)}\n${table(digests)}`);
print(`first tools/list: ${starts[1].ratio.toFixed(2)} of node -e 0 (at most 3)`);
print(`plan --digest: ${digests[1].ratio.toFixed(2)} of plan (at most 1.3)`);
print(`plan_workflow: ${cold.toFixed(1)} ms for each of the first ${FIRST}, then ${warm.toFixed(1)} ms (at most 15)`);
print(`live memory after ${FIRST} plans: ${first.toFixed(1)} MB, after ${ALL}: ${all.toFixed(1)} MB`);
print(
  `resident memory after ${FIRST} plans: ${residentFirst.toFixed(0)} MB, after ${ALL}: ${residentAll.toFixed(0)} MB`,
);
process.exit();
