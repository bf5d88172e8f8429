// `npm run bench:workers`: measures runs on other machines, with a PostgreSQL server and workers on this machine, and
// compares them with their budget. Prints tables, and writes build/bench_workers/results.json. `--quick` measures less.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { resolve } from 'node:path';
import { createPostgres, serverFiles } from '../../build/tests/support/remote/server.js';
import { database } from './database.mjs';
import * as cases from './cases.mjs';
import { workersPage } from './tables.mjs';
import { createTeam } from './team.mjs';

const quick = process.argv.includes('--quick');
const often = (usual, fewer) => (quick ? fewer : usual);
const root = resolve('build/bench_workers');
rmSync(root, { recursive: true, force: true });
mkdirSync(root, { recursive: true });

const files = serverFiles('.');
if (files === undefined) throw new Error('there is no server: node scripts/setup.mjs packages/postgres');
const began = performance.now();
const server = await createPostgres(files);
const team = createTeam(server.url, root);
const db = database(server.url);
try {
  await team.start(1);
  const bench = { team, db, url: server.url, root };
  const results = {
    operation: await cases.operation(bench, often(5, 2), often(100, 40)),
    ...(await cases.latencies(bench, often(20, 6))),
    output: await cases.output(bench, often(24, 8)),
    cancel: await cases.cancel(bench, often(6, 2)),
    ...(await cases.memory(bench)),
    takeover: await cases.takeover(bench, often(6, 2)),
    throughput: [],
  };
  for (const workers of [1, 4, 16]) {
    await team.end();
    await team.start(workers);
    const runs = often({ 1: 20, 4: 48, 16: 96 }, { 1: 6, 4: 12, 16: 24 })[workers];
    results.throughput.push({ workers, ...(await cases.throughput(bench, workers, runs)) });
  }
  const version = await db.value('SHOW server_version');
  const machine = `${cpus().length} cores, ${cpus()[0].model}, Linux ${release()}, Node.js ${process.version}, PostgreSQL ${version}`;
  const date = new Date().toISOString().slice(0, 10);
  const load = loadavg()[0];
  const measured = { date, machine, quick, load, seconds: Math.round((performance.now() - began) / 1000), results };
  writeFileSync(`${root}/results.json`, JSON.stringify(measured, undefined, 2));
  process.stdout.write(`${workersPage(measured)}\n`);
} finally {
  await team.end();
  await db.end();
  await server.remove();
}
