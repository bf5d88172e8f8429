import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shareProcesses, withoutExtension } from './share_processes.mjs';

const besideThis = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The directory of the tests that only `npm run test:postgres` runs. Others run those in other directories named `long`. */
export const LONG = join('failures', 'long');

/** The directories of test files that mostly wait for other processes. */
const WAITING = new Set([
  'remote_runs',
  'failures',
  'workers',
  'scaling',
  'signals',
  'export',
  'goldens',
  'resume',
  'watch',
]);

/** The files that take longest, which are started first so that none of them is left alone at the end. */
const LONGEST = [
  'export/fixtures',
  'project/docs',
  'page/dialogs',
  'workers/takeover',
  'remote_runs/resume',
  'goldens/pipelines',
  'workers/same_as_local',
  'page/browser',
  'signals/endings',
  'remote_runs/crowds',
  'remote_runs/locks',
  'reports/report_readers',
  'reports/accessibility',
  'mcp/running',
  'references/lint_references',
  'workers/checkout',
  'imports/beside',
  'completion/shells',
  'secrets/canaries',
  'run/fuzz_runs',
  'export/endings',
  'workers/leftovers',
  'failures/lost_workers',
  'failures/storage',
  'workers/shutdown',
];

/**
 * The compiled test files with one of these extensions, without the long ones: the longest first, and those that share no
 * process last, which are short. Those that wait are spread among those that compute, so that no processor is idle.
 */
export function testFiles(...extensions) {
  const names = readdirSync('build/tests', { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => extensions.some((extension) => name.endsWith(extension)) && basename(dirname(name)) !== basename(LONG),
    )
    .toSorted();
  const first = LONGEST.flatMap((name) => names.filter((file) => withoutExtension(file) === name));
  const others = names.filter((name) => !first.includes(name));
  const waiting = others.filter((name) => WAITING.has(dirname(name)));
  const computing = others.filter((name) => !waiting.includes(name));
  const places = [waiting, computing].flatMap((list) =>
    list.map((name, index) => ({ name, place: index / list.length })),
  );
  const spread = places.toSorted((one, other) => one.place - other.place).map(({ name }) => name);
  const paths = [...first, ...spread].map((name) => join('build/tests', name));
  const short = new Set(paths.slice(first.length).filter((path) => groupOf(path) === undefined));
  return [...paths.filter((path) => !short.has(path)), ...short];
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

/** Tests of time and memory, whose results another file's objects and compiled code would change. */
const MEASURES = /performance\.now|memoryUsage|cpuUsage|resourceUsage/;

/**
 * What a test file has in common with the files that share its process: a browser, a database server, or the directory.
 * Undefined for a file with a process of its own.
 */
function groupOf(file) {
  const name = withoutExtension(relative('build/tests', file));
  const text = readFileSync(file, 'utf8');
  if (/\bopenTab\(/.test(text)) return 'chromium';
  if (/\bsharedPostgres\(/.test(text)) return 'databases';
  return LONGEST.includes(name) || MEASURES.test(text) ? undefined : dirname(name);
}

/** Runs all of these test files, several in a process if they have something in common, and returns the exit code. */
export function runAllTests(files, env) {
  return runTests(shareProcesses(files, groupOf), env);
}

/** Runs test files, each in its own process, and returns the exit code. */
export function runTests(files, env = process.env) {
  const args = [`--require=${besideThis('time_limit.cjs')}`, besideThis('run_files.mjs'), ...files];
  // NODE_EXTRA_CA_CERTS delays each start of Node.js 20 by 40 ms, and the tests start thousands.
  const { NODE_EXTRA_CA_CERTS: _certificates, ...others } = env;
  const { status } = spawnSync(process.execPath, args, { env: { ...others, PATH: searchPath(env) }, stdio: 'inherit' });
  return status ?? 1;
}
