// Starts a PostgreSQL server and two workers in a temporary directory, and prints commands to try. Ctrl-C ends all.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createPostgres, serverFiles } from '../build/tests/support/remote/server.js';

const WORKFLOWS = {
  workflows: {
    build: {
      steps: [
        { name: 'compile', run: 'for part in 1 2 3 4 5; do echo "part $part"; sleep 1; done' },
        { name: 'test', run: 'sleep 5; echo "all tests pass, on run $CLI_REMOTE_RUN"' },
      ],
    },
  },
};

const files = serverFiles('.');
if (files === undefined) throw new Error('node scripts/setup.mjs packages/postgres has installed no server');
const server = await createPostgres(files);
const cwd = mkdtempSync(join(tmpdir(), 'workflow-plan-demo-'));
mkdirSync(join(cwd, '.cli'));
writeFileSync(join(cwd, '.cli/workflow.json'), `${JSON.stringify(WORKFLOWS, undefined, 2)}\n`);
const [cli, engine] = [resolve('dist/cli.cjs'), resolve('packages/postgres')];

const workers = ['one', 'two'].map((name) => {
  const env = { ...process.env, CLI_ENGINE: engine };
  const args = [cli, 'worker', '--on', server.url, '--name', name, '--lease', '5'];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'inherit', 'pipe'] });
  const ready = new Promise((done) => {
    child.stderr.on('data', (chunk) => {
      process.stderr.write(chunk);
      if (chunk.includes('is ready')) done();
    });
    child.once('exit', done);
  });
  return { child, ready };
});

const end = async () => {
  for (const { child } of workers) child.kill('SIGKILL');
  await server.remove();
  rmSync(cwd, { recursive: true, force: true });
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end());

await Promise.all(workers.map(({ ready }) => ready));
process.stdout.write(`
Run a workflow on one of the workers, from another terminal:

  cd ${cwd} && export CLI_ENGINE=${engine}
  node ${cli} run build --on ${server.url}

Kill the worker that runs it, and watch the other one take over:

  kill -9 ${workers.map(({ child }) => child.pid).join(' or kill -9 ')}

Press Ctrl-C to stop the server and the workers.
`);
