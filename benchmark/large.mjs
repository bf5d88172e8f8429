// `npm run bench:large`: the parts of a dry run of a large file. Each process does the work up to a part, in the order of the
// tool: CPU time and peak memory above those of a process that only reads the file, as medians.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ours } from './inputs.mjs';

const STEPS = Number(process.env.STEPS ?? 100_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const PATH = 'build/bench/large.json';
const PARTS = ['read', 'JSON.parse', 'jsonc-parser', 'tree', 'check', 'lint', 'compile', 'print'];

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** Does the work up to a part. */
async function workTo(part) {
  const bytes = readFileSync(PATH);
  if (part === 'read') return bytes.toString('utf8').length;
  if (part === 'JSON.parse') return JSON.parse(bytes.toString('utf8'));
  if (part === 'jsonc-parser') {
    const { visit } = await import('jsonc-parser');
    return visit(bytes.toString('utf8'), {});
  }
  if (part === 'tree') {
    const { parseJsonFile } = await import('../build/src/frontend/syntax/json_problems.js');
    return parseJsonFile(bytes);
  }
  const { readWorkflowFile } = await import('../build/src/frontend/parse.js');
  const { lines, file } = await readWorkflowFile(bytes);
  if (part === 'check') return file;
  const { neededLint } = await import('../build/src/cli/driver/lint.js');
  const find = await neededLint({ lines, included: [] }, {});
  find?.(file, { workflow: 'one', params: new Map(), inherits: () => true });
  if (part === 'lint') return file;
  const { compile } = await import('../build/src/ir/compile.js');
  const { plan } = compile(file, 'one', [], null);
  if (part === 'compile') return plan;
  const { dryRunDocument } = await import('../build/src/ir/views/dry_run_document.js');
  const document = dryRunDocument(plan);
  return JSON.stringify({ ...document, steps: [...document.steps] });
}

const [, path, part] = process.argv;
if (part !== undefined) {
  globalThis.result = await workTo(part);
  const { user, system } = process.cpuUsage();
  process.stdout.write(JSON.stringify([(user + system) / 1000, process.resourceUsage().maxRSS / 1024]));
} else {
  mkdirSync('build/bench', { recursive: true });
  writeFileSync(PATH, JSON.stringify(ours.wordySteps(STEPS)));
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env;
  const runs = PARTS.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, name] of PARTS.entries()) {
      const { stdout } = spawnSync(process.execPath, [fileURLToPath(`file://${path}`), name], {
        env,
        encoding: 'utf8',
      });
      runs[index].push(JSON.parse(stdout));
    }
  const [read, parse, ...others] = runs.map((run) => [0, 1].map((field) => median(run.map((each) => each[field]))));
  const unit = parse[0] - read[0];
  process.stdout.write(`| Up to | CPU time in ms | × JSON.parse | MiB |\n| --- | ---: | ---: | ---: |\n`);
  for (const [index, [time, memory]] of [parse, ...others].entries()) {
    const [more, mebibytes] = [time - read[0], memory - read[1]].map(Math.round);
    process.stdout.write(`| ${PARTS[index + 1]} | ${more} | ${(more / unit).toFixed(1)} | ${mebibytes} |\n`);
  }
}
