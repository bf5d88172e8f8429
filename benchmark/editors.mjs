// `npm run bench:editors`: what the language server costs, in CPU time: medians of pairs, measured in turn.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PassThrough } from 'node:stream';

const ROUNDS = Number(process.env.ROUNDS ?? 11);
const STEPS = 2480;
const directory = resolve('build/bench/editors');
rmSync(directory, { recursive: true, force: true });
mkdirSync(`${directory}/.cli`, { recursive: true });

const require = createRequire(import.meta.url);
const { check, parse } = require('../dist/api.cjs');
const { serve } = require('../dist/lsp.cjs');

/** A file of about 218 KB, with what real files have: variables, conditions, outputs and calls. */
function largeFile() {
  const workflows = {};
  for (let index = 0; index < STEPS / 10; index += 1) {
    const steps = Array.from({ length: 8 }, (_, step) => ({
      name: `step ${step}`,
      run: `make "$STAGE" target-${index}-${step}`,
    }));
    const build = { name: 'build', run: 'make', outputs: { ID: 'text' } };
    const last = { if: 'STAGE', run: 'echo ${steps.build.ID} "$STAGE"' };
    workflows[`workflow ${index}`] = { description: `Number ${index}`, steps: [build, ...steps, last] };
  }
  return JSON.stringify({ env: { STAGE: 'dev' }, workflows }, undefined, 1);
}

const print = (line) => process.stdout.write(`${line}\n`);

const text = largeFile();
const uri = pathToFileURL(`${directory}/.cli/workflow.json`).href;
writeFileSync(`${directory}/.cli/workflow.json`, text);
mkdirSync(`${directory}/small/.cli`, { recursive: true });
writeFileSync(`${directory}/small/.cli/workflow.json`, '{"workflows": {"w": {"steps": ["true"]}}}');

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
const cpu = async (work) => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** An editor with a server in this process. */
function connect() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  serve({ input, output, version: '', exit: () => undefined });
  const send = (message) => {
    const json = JSON.stringify({ jsonrpc: '2.0', ...message });
    input.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
  };
  let version = 0;
  const published = () =>
    new Promise((done) => {
      let received = '';
      const onData = (chunk) => {
        received += chunk.toString('latin1');
        if (!received.includes(`"version":${version}`)) return;
        output.off('data', onData);
        done();
      };
      output.on('data', onData);
    });
  output.resume();
  send({
    id: 1,
    method: 'initialize',
    params: { processId: null, rootUri: pathToFileURL(directory).href, capabilities: {} },
  });
  send({ method: 'initialized', params: {} });
  return {
    open: () => {
      version += 1;
      send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'json', version, text } } });
      return published();
    },
    type: (count) => {
      for (let key = 0; key < count; key += 1) {
        version += 1;
        const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 1 } };
        send({
          method: 'textDocument/didChange',
          params: { textDocument: { uri, version }, contentChanges: [{ range, text: ' ' }] },
        });
      }
      return published();
    },
  };
}

const editor = connect();
await editor.open();
const [checks, keys, rows] = [[], [], []];
for (let round = 0; round < ROUNDS; round += 1) {
  checks.push(await cpu(() => check(parse(text, { path: '.cli/workflow.json' }))));
  keys.push(await cpu(() => editor.type(1)));
  rows.push(await cpu(() => editor.type(30)));
}
const ratio = (values) => median(values.map((value, index) => value / checks[index])).toFixed(2);

function message(json) {
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
}

/** The CPU time of `cli lsp` until it has answered, and of `cli list`, in milliseconds; and the memory in megabytes. */
function startUp() {
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { processId: null, rootUri: null, capabilities: {} },
  });
  const input =
    message(request) +
    message(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'shutdown' })) +
    message('{"jsonrpc":"2.0","method":"exit"}');
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: '', NODE_OPTIONS: '' };
  const measure = (args) => {
    const start = childTime();
    spawnSync(process.execPath, [resolve('dist/cli.cjs'), ...args], { cwd: `${directory}/small`, env, input });
    return childTime() - start;
  };
  return [measure(['lsp']), measure(['list'])];
}

/** The CPU time of the children that have ended, in milliseconds: fields 16 and 17 of proc(5), in ticks of 10 ms. */
function childTime() {
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

const starts = Array.from({ length: ROUNDS }, startUp);
const sum = (index) => starts.reduce((total, each) => total + each[index], 0);

/** The resident memory of a server with the file open, in megabytes. */
async function memory() {
  const child = spawn(process.execPath, [resolve('dist/cli.cjs'), 'lsp'], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const send = (message) => {
    const json = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
  };
  const done = new Promise((resolved) => {
    let received = '';
    child.stdout.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.includes('"version":10')) resolved();
    });
  });
  send({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } });
  send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'json', version: 1, text } } });
  for (let version = 2; version <= 10; version += 1) {
    const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 1 } };
    send({
      method: 'textDocument/didChange',
      params: { textDocument: { uri, version }, contentChanges: [{ range, text: ' ' }] },
    });
  }
  await done;
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'));
  child.kill();
  return Math.round(Number(kilobytes) / 1000);
}

print(`file: ${Math.round(text.length / 1000)} KB; one check: ${median(checks).toFixed(1)} ms`);
print(`diagnostics after a key: ${ratio(keys)} checks (at most 3)`);
print(`30 keys in a row: ${ratio(rows)} checks (at most 5)`);
print(`start until initialize is answered: ${(sum(0) / sum(1)).toFixed(2)} of cli list (at most 2)`);
print(`memory: ${await memory()} MB (at most 120)`);
process.exit();
