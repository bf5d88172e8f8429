import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const besideThis = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The directory of the tests that only `npm run test:postgres` runs. */
export const LONG = join('failures', 'long');

/** The directories of long test files, which mostly wait for other processes. */
const WAITING = new Set(['remote_runs', 'failures', 'workers', 'scaling', 'signals', 'export', 'goldens', 'resume']);

/**
 * The compiled test files with one of these extensions, without the long ones: first those that wait, each followed by one
 * that computes, so that no processor is idle.
 */
export function testFiles(...extensions) {
  const names = readdirSync('build/tests', { recursive: true })
    .filter((name) => extensions.some((extension) => name.endsWith(extension)) && !name.startsWith(LONG))
    .toSorted();
  const waiting = names.filter((name) => WAITING.has(dirname(name)));
  const computing = names.filter((name) => !waiting.includes(name));
  return Array.from({ length: Math.max(waiting.length, computing.length) }, (_, index) => index)
    .flatMap((index) => [...waiting.slice(index, index + 1), ...computing.slice(index, index + 1)])
    .map((name) => join('build/tests', name));
}

/**
 * A search path with the directory of Python itself first. Version managers such as pyenv put a script in its place, which
 * takes a tenth of a second, and the tests start hundreds.
 */
function searchPath({ PATH = '' }) {
  try {
    const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
    return [dirname(python), PATH].join(delimiter);
  } catch {
    return PATH;
  }
}

/** Runs test files, each in its own process, and returns the exit code. */
export function runTests(files, env = process.env) {
  const args = [`--require=${besideThis('time_limit.cjs')}`, besideThis('run_files.mjs'), ...files];
  const { status } = spawnSync(process.execPath, args, { env: { ...env, PATH: searchPath(env) }, stdio: 'inherit' });
  return status ?? 1;
}
