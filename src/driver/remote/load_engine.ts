import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { say, type Io } from '../../output/io.ts';
import { VERSION } from '../../version.ts';
import type { Engine } from './engine.ts';

const PACKAGE = 'workflow-plan-postgres';

/**
 * The package for runs on other machines, from beside the tool's own package, or from the directory in `CLI_ENGINE`.
 * Undefined after an error, which has been printed.
 */
export async function loadEngine(io: Io, needing: string): Promise<Engine | undefined> {
  const folder = engineFolder(io);
  if (folder === 'standalone') return fail(io, `${needing} works with the npm package only`);
  const file = folder && join(folder, 'dist/index.cjs');
  if (file === undefined || !existsSync(file)) {
    return fail(io, `${needing} needs the package ${PACKAGE}: npm install -g ${PACKAGE}`);
  }
  // The engine connects loggers to these streams, which main.ts has taken away. They discard what it prints.
  for (const name of ['stdout', 'stderr']) {
    const value = new Writable({ write: (_chunk, _encoding, done) => done() });
    Object.defineProperty(process, name, { value });
  }
  const { engine }: Readonly<Record<string, unknown>> = await import(file);
  if (!isEngine(engine)) return fail(io, `${PACKAGE} cannot be loaded`);
  if (engine.version === VERSION) return engine;
  return fail(io, `${PACKAGE} ${engine.version} does not fit workflow-plan ${VERSION}`);
}

function fail(io: Io, problem: string): undefined {
  return say(io, [problem], 'cli: ');
}

/** Never a directory that depends on the current one: code of the repository must not be loaded. */
function engineFolder({ env }: Io): string | undefined {
  const given = env['CLI_ENGINE'];
  if (given) return resolve(given);
  if (process.versions['bun'] !== undefined) return 'standalone';
  const script = process.argv[1];
  if (script === undefined) return undefined;
  // dist/cli.cjs of a package in node_modules
  const own = dirname(dirname(realpathSync(script)));
  return [join(own, 'node_modules', PACKAGE), join(dirname(own), PACKAGE)].find((path) => existsSync(path));
}

function isEngine(value: unknown): value is Engine {
  return typeof value === 'object' && value !== null && 'version' in value && 'submit' in value && 'work' in value;
}
