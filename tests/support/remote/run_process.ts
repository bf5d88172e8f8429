import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { RemoteRun } from '../../../src/cli/engine/remote_run.ts';
import type { FromRunProcess, ToRunProcess } from '../../../src/cli/engine/run_channel.ts';
import type { SessionRecord } from '../../../src/records/journal/record.ts';
import { VERSION } from '../../../src/base/version.ts';
import { COMMAND, finish, temporaryDirectory } from '../cli.ts';

/** A package for databases that writes the submitted run to a file. */
const PACKAGE = `
const { writeFileSync } = require('node:fs');
const submit = ({ run }) => {
  writeFileSync(process.env.SUBMITTED, JSON.stringify(run));
  return { kind: 'left', code: 0 };
};
exports.engine = { version: '${VERSION}', submit, work: () => 0 };
`;

/** A run as the tool submits it. */
export async function packedRun(t: TestContext, cwd: string, args: readonly string[]): Promise<RemoteRun> {
  const engine = temporaryDirectory(t, { 'dist/index.cjs': PACKAGE });
  const submitted = join(engine, 'run.json');
  const [file, ...first] = COMMAND;
  const words = [...first, 'workflow', 'run', ...args, '--on', 'postgres:///'];
  const { code, stderr } = await finish(file, words, { cwd, env: { CLI_ENGINE: engine, SUBMITTED: submitted } });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(readFileSync(submitted, 'utf8'));
}

/** The end of a run's process, and all stored records of the run: the given ones and its own. */
export type Executed = Readonly<{
  end: Omit<FromRunProcess & { kind: 'end' }, 'kind'>;
  document: string;
  stderr: string;
  records: readonly (readonly SessionRecord[])[];
}>;

/**
 * Executes a run in a directory with its first records, as a worker does. `earlier` are those of each earlier session.
 * `onReady` is called when a step has printed `ready`.
 */
export async function executeRun(
  cwd: string,
  run: RemoteRun,
  given: Readonly<{
    records?: Executed['records'];
    earlier?: Executed['records'];
    signals?: readonly NodeJS.Signals[];
    planFormat?: number;
    env?: Readonly<Record<string, string>>;
    onReady?: (signal: (name: NodeJS.Signals) => void) => void;
  }>,
): Promise<Executed> {
  const [file, ...first] = COMMAND;
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
  const env = { ...process.env, ...given.env };
  const child = spawn(file, [...first, 'workflow', 'process'], { cwd, env, detached: true, stdio: [...stdio] });
  if (child.stdout === null || child.stderr === null) throw new Error('a process without pipes');
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const records = [...(given.records ?? [])];
  // A process that has ended needs no messages.
  const send = (message: ToRunProcess): boolean => child.send(message, () => undefined);
  const signal = (name: NodeJS.Signals): boolean => send({ kind: 'signal', signal: name });
  child.stderr.on('data', (chunk: Buffer) => {
    if (/^ready$/m.test(chunk.toString())) given.onReady?.(signal);
  });
  const ended = new Promise<Executed['end']>((resolve, reject) => {
    child.once('close', (code) => {
      void stderr.then((said) =>
        reject(new Error(`the process of the run ended with ${code} before the run: ${said}`)),
      );
    });
    child.on('message', (message: FromRunProcess) => {
      if (message.kind === 'records') {
        records.push(message.records);
        send({ kind: 'stored', number: message.number });
      }
      if (message.kind === 'end') resolve({ code: message.code, interrupted: message.interrupted });
    });
  });
  send({
    kind: 'run',
    id: 'replayed',
    run,
    ...(given.planFormat !== undefined && { planFormat: given.planFormat }),
    earlier: given.earlier ?? [],
    records: (given.records ?? []).flat(),
    wasLost: false,
    ownPlans: false,
  });
  for (const name of given.signals ?? []) signal(name);
  const end = await ended;
  return { end, document: await stdout, stderr: await stderr, records };
}
