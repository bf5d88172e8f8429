import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { finish, ROOT, temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { needs, program } from '../support/needs.ts';
import { isAlive } from '../support/processes/processes.ts';
import { done, refused } from '../support/project.ts';
import { createRepository, git } from '../support/remote/repository.ts';
import { blocksIn } from '../support/remote/scaling_page.ts';
import { createPostgres, serverFiles, type Server } from '../support/remote/server.ts';
import { needsPostgres, remoteCli } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const FILE = { workflows: { build: { steps: ['echo "built $(git rev-parse HEAD)"'] } } };

/** A self-signed certificate for 127.0.0.1, and its key. */
function createCertificate(t: TestContext): Readonly<{ path: string; files: Readonly<Record<string, string>> }> {
  const directory = temporaryDirectory(t);
  const [path, key] = [join(directory, 'server.crt'), join(directory, 'server.key')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const request = ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', path];
  execFileSync(program('openssl'), request, { stdio: 'ignore' });
  const files = { 'server.crt': readFileSync(path, 'utf8'), 'server.key': readFileSync(key, 'utf8') };
  return { path, files };
}

/** A server that accepts other users than its administrator only with a password and encryption. */
async function createServer(t: TestContext, files: Readonly<Record<string, string>>): Promise<Server> {
  const rules = 'host all postgres 127.0.0.1/32 trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n';
  const installed = serverFiles(ROOT);
  assert.ok(installed !== undefined);
  const settings = { conf: { ssl: 'on' }, files: { 'pg_hba.conf': rules, ...files } };
  const server = await createPostgres(installed, settings);
  t.after(() => server.remove());
  return server;
}

/** An `npm` whose `install -g` copies both packages from this repository, which are not packed here. */
function createNpm(t: TestContext): string {
  const global = temporaryDirectory(t);
  const [tool, engine] = [join(global, 'lib/workflow-plan'), join(global, 'lib/workflow-plan-postgres')];
  for (const [from, to] of [
    [ROOT, tool],
    [join(ROOT, 'packages/postgres'), engine],
  ] as const) {
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true });
    cpSync(join(from, 'package.json'), join(to, 'package.json'));
  }
  symlinkSync(join(ROOT, 'packages/postgres/node_modules'), join(engine, 'node_modules'));
  const script = `test "$*" = "install -g ./workflow-plan-*.tgz" && ln -s ${tool}/dist/cli.cjs ~/bin/cli`;
  const bin = join(global, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}

const LIMITED = { ...needs('postgresql-client', 'openssl'), ...needsPostgres() };

test('ten commands set up a team', LIMITED, async (t) => {
  const [administrator = '', machine = '', worker = '', client = '', ...others] = blocksIn('Set-up', 'sh');
  assert.deepEqual(others, []);
  const all = [administrator, machine, worker, client].join('').split('\n').slice(0, -1);
  assert.equal(all.length, 10);

  const certificate = createCertificate(t);
  const server = await createServer(t, certificate.files);
  const { host, hostname, port } = new URL(server.url);
  const repository = createRepository(t, FILE);
  const bin = createNpm(t);
  const origin = git(repository.cwd, 'remote', 'get-url', 'origin');
  /** Runs blocks as on a separate machine, with a home of its own. The hosts of the database and of the repository are renamed. */
  const runOn = (home: string, ...blocks: readonly string[]): Promise<CommandResult> => {
    mkdirSync(join(home, 'bin'), { recursive: true });
    const script = blocks
      .join('')
      .replaceAll('db.example:5432', host)
      .replaceAll('@db.example/', `@${hostname}:${port}/`);
    return finish('bash', ['-e', '-c', script], {
      cwd: home,
      env: {
        HOME: home,
        PATH: `${join(home, 'bin')}:${bin}:${process.env['PATH']}`,
        NODE_EXTRA_CA_CERTS: certificate.path,
        CLI_ENGINE: undefined,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: `url.${origin}.insteadOf`,
        GIT_CONFIG_VALUE_0: 'https://git.example/project',
      },
    });
  };
  const succeeds = async (home: string, ...blocks: readonly string[]): Promise<CommandResult> => {
    const result = await runOn(home, ...blocks);
    assert.equal(result.code, 0, result.stderr);
    return result;
  };

  await succeeds(temporaryDirectory(t), administrator);
  const home = temporaryDirectory(t);
  const { stdout: pid } = await succeeds(home, machine, worker, 'echo $!\n');
  t.after(() => spawnSync('kill', ['-KILL', pid.trim()]));
  const log = (): string => readFileSync(join(home, 'worker.log'), 'utf8');
  await until(() => log().includes(" is ready: it takes runs with the tag 'linux', or without a tag\n"), log);
  const { stdout, stderr } = await succeeds(temporaryDirectory(t), machine, client);
  assert.match(stderr, new RegExp(`^built ${git(repository.cwd, 'rev-parse', 'HEAD')}$`, 'm'));
  const [detached = '', ...listed] = stdout.split('\n').slice(0, -1);
  assert.match(detached, /^\{"run":".+"\}$/);
  assert.equal(listed.length, 3);
  assert.equal(spawnSync('kill', ['-TERM', pid.trim()]).status, 0);
  await until(
    () => !isAlive(Number(pid)),
    () => `the worker ends: ${log()}`,
  );
});

test('the certificate of the server is checked', LIMITED, async (t) => {
  const certificate = createCertificate(t);
  const server = await createServer(t, certificate.files);
  const cwd = temporaryDirectory(t);
  const url = `${server.url}?sslmode=verify-full`;
  assert.deepEqual(
    await remoteCli(['runs', 'list', '--on', url], cwd),
    refused(`cannot reach the database ${url}: self-signed certificate`),
  );
  const trusting = `${url}&sslrootcert=${certificate.path}`;
  assert.deepEqual(await remoteCli(['runs', 'list', '--on', trusting], cwd), {
    ...done(''),
    stderr: 'cli: no run is recorded in the database\n',
  });
});
