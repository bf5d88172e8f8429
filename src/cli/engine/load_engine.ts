import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import type { Io } from '../output/io.ts';
import { failure, type Result } from '../../base/result.ts';
import { VERSION } from '../../base/version.ts';
import type { Engine } from './engine.ts';

const PACKAGE = 'workflow-plan-postgres';

/**
 * Loads the package for runs on other machines, from next to the tool's own package or from the directory in
 * `CLI_ENGINE`.
 */
export async function loadEngine(io: Io): Promise<Result<Engine>> {
  const directory = engineDirectory(io);
  if (directory === 'standalone') return failure("'--on' works with the npm package only");
  const file = directory && join(directory, 'dist/index.cjs');
  if (file === undefined || !existsSync(file)) {
    return failure(`'--on' needs the package ${PACKAGE}: see docs/scaling.md`);
  }
  // The engine attaches loggers to these streams, which main.ts has removed. The replacements discard all writes.
  for (const name of ['stdout', 'stderr']) {
    const value = new Writable({ write: (_chunk, _encoding, done) => done() });
    Object.defineProperty(process, name, { value });
  }
  const { engine }: Readonly<Record<string, unknown>> = await import(file);
  if (!isEngine(engine)) return failure(`${PACKAGE} cannot be loaded`);
  if (engine.version === VERSION) return { ok: true, value: engine };
  return failure(`${PACKAGE} ${engine.version} does not fit workflow-plan ${VERSION}`);
}

/** Independent of the current directory: code from the user's repository must never be loaded. */
function engineDirectory({ env }: Io): string | undefined {
  if (process.versions['bun'] !== undefined) return 'standalone';
  const given = env['CLI_ENGINE'];
  if (given) return resolve(given);
  const script = process.argv[1];
  if (script === undefined) return undefined;
  // The script is dist/cli.cjs of a package in node_modules.
  const own = dirname(dirname(realpathSync(script)));
  return [join(own, 'node_modules', PACKAGE), join(dirname(own), PACKAGE)].find((path) => existsSync(path));
}

function isEngine(value: unknown): value is Engine {
  return typeof value === 'object' && value !== null && 'version' in value && 'submit' in value && 'work' in value;
}
