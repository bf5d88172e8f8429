/*
 * Runs random files whose secrets contain a mark, and searches for the mark in everything that is left. CANARIES is the
 * number of files. FUZZ_SEED repeats a series.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { CanaryFiles, MARK, SHOWN, type CanaryCase } from '../support/canaries/random_canaries.ts';
import { ProcessWatch } from '../support/canaries/process_watch.ts';
import { COMMAND, temporaryDirectory, IS_STANDALONE } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { inProcess } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { random, type Random } from '../support/random/random.ts';
import { executeRun, packedRun } from '../support/remote/run_process.ts';
import { endProcessesIn } from '../support/runs/kills/kill.ts';

const { CANARIES, FUZZ_SEED } = process.env;
const FILES = Number(CANARIES ?? 14);
const SEED = Number(FUZZ_SEED ?? 1);
/** The number of files at the same time. */
const LANES = FILES > 20 ? 4 : 2;

const REPORTS = ['r.json', 'r.html', 'r.xml'].flatMap((name) => ['--report', name]);
const VIEWS = ['run ci --dry-run --debug', 'plan ci', 'explain ci', 'graph ci', 'validate', 'list', 'runs list'];

/** The end of a program. */
type Ended = Readonly<{ code: number | null; stderr: string }>;

/** A random file, and all texts that it has led to. */
class Canary {
  /** The places in which a secret was found. */
  readonly hits: string[] = [];
  readonly cwd: string;
  readonly #t: TestContext;
  readonly #random: Random;
  readonly #watch: ProcessWatch;
  readonly #count: (what: string) => void;
  readonly #given: CanaryCase['given'];
  readonly #env: NodeJS.ProcessEnv;

  constructor(t: TestContext, source: Random, watch: ProcessWatch, count: (what: string) => void) {
    this.#t = t;
    this.#random = source;
    this.#watch = watch;
    this.#count = count;
    const { file, files, given } = new CanaryFiles(source).create();
    this.cwd = temporaryDirectory(t, { '.cli/workflow.json': file, ...files });
    this.#given = given;
    this.#env = { ...ONLY_PATH, ...given, CLI_NO_JOURNAL: undefined, TMPDIR: this.cwd };
  }

  async run(): Promise<void> {
    try {
      await this.#runAndResume();
      for (let count = 0; count < 2; count += 1) await this.#view(this.#random.pick(VIEWS).split(' '));
      if (this.#random.chance(0.2)) await this.#export();
      // The executable has no workers.
      if (this.#random.chance(0.1) && !IS_STANDALONE) await this.#runAsWorker();
    } finally {
      await endProcessesIn(this.cwd);
    }
    this.#searchFiles('');
  }

  async #runAndResume(): Promise<void> {
    const [program, ...first] = COMMAND;
    const flags = [...REPORTS, '--events', 'events', ...this.#random.pick([[], ['--logs'], ['--debug'], ['--quiet']])];
    let ended = await this.#process(program, [...first, 'workflow', 'run', 'ci', ...flags], this.#random.chance(0.15));
    writeFileSync(join(this.cwd, 'fixed'), '');
    const resumes = this.#random.pick([0, 0, 2]);
    for (let count = 0; count < resumes && ended.code !== 0; count += 1) {
      // An output that contains a secret is not recorded: its step must run again.
      const again = Array.from(
        ended.stderr.matchAll(/^ {2}! (.*?) {2}CONFLICT/gm),
        ([, step = '']) => `--rerun=${step}`,
      );
      const args = [...first, 'workflow', 'resume', '--last', ...again, '--report', 'r.html'];
      ended = await this.#process(program, args, false);
      this.#count(`resumes with exit code ${ended.code}`);
    }
    if (ended.code === 0) this.#count('successes');
  }

  /** Runs a program to its end or kills it, and searches its output. */
  async #process(file: string, args: readonly string[], isKilled: boolean): Promise<Ended> {
    const child = spawn(file, args, {
      cwd: this.cwd,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid } = child;
    if (pid !== undefined) this.#watch.add({ pid, command: [file, ...args], given: Object.keys(this.#given) });
    const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
    const all = Promise.all([text(child.stdout), text(child.stderr)]);
    if (isKilled) {
      await delay(this.#random.below(300));
      child.kill('SIGKILL');
      await endProcessesIn(this.cwd);
      this.#count('kills');
    }
    const code = await ended;
    const [stdout, stderr] = await all;
    this.#search(`standard output of ${args.join(' ')}`, stdout);
    this.#search(`standard error of ${args.join(' ')}`, withoutShown(stderr));
    return { code, stderr };
  }

  async #view(words: readonly string[]): Promise<void> {
    const { stdout, stderr } = await inTurn(() =>
      inProcess(this.#t, ['workflow', ...words], { cwd: this.cwd, env: this.#env }),
    );
    this.#search(words.join(' '), stdout + stderr);
  }

  async #export(): Promise<void> {
    const { code, stdout } = await inTurn(() =>
      inProcess(this.#t, ['export', 'ci'], { cwd: this.cwd, env: this.#env }),
    );
    assert.equal(code, 0);
    writeFileSync(join(this.cwd, 'x.sh'), stdout);
    await this.#process('bash', ['x.sh'], false);
    this.#count('scripts');
  }

  /** What a worker receives from the database, and stores there. */
  async #runAsWorker(): Promise<void> {
    const run = await packedRun(this.#t, this.cwd, ['ci']);
    const env = Object.fromEntries(Object.entries(this.#given));
    const { document, stderr, records } = await executeRun(this.cwd, run, { env }).catch((error: unknown) => {
      return { document: '', stderr: String(error), records: [] };
    });
    this.#search('the database', JSON.stringify([run, document, records]));
    this.#search('the log of the run', withoutShown(stderr));
    this.#count('runs of workers');
  }

  #searchFiles(directory: string): void {
    for (const name of readdirSync(join(this.cwd, directory))) {
      const path = join(directory, name);
      if (path === 'values') continue;
      const { isDirectory, isFile } = kindOf(join(this.cwd, path));
      if (isDirectory) this.#searchFiles(path);
      else if (isFile) this.#searchFile(path);
    }
  }

  #searchFile(path: string): void {
    const content = readFileSync(join(this.cwd, path), 'utf8');
    this.#count('files');
    this.#search(path, path.endsWith('.log') ? withoutShown(content) : content);
    if (path === 'leak') this.hits.push('a command had a secret that it does not list');
  }

  #search(place: string, content: string): void {
    const index = content.indexOf(MARK);
    if (index !== -1) this.hits.push(`${place}: …${content.slice(Math.max(0, index - 200), index + 100)}`);
  }
}

/** A text without the lines that commands print on purpose. */
function withoutShown(content: string): string {
  return content
    .split('\n')
    .filter((line) => !line.includes(SHOWN))
    .join('\n');
}

function kindOf(path: string): Readonly<{ isDirectory: boolean; isFile: boolean }> {
  const stat = existsSync(path) ? statSync(path) : undefined;
  return { isDirectory: stat?.isDirectory() === true, isFile: stat?.isFile() === true };
}

/** The last call in this process. Calls must not overlap. */
let last: Promise<unknown> = Promise.resolve();

function inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
  const result = last.then(call);
  last = result.catch(() => undefined);
  return result;
}

test(
  `the secrets of ${FILES} random files are in nothing that the tool writes, and in no process that does not list them (from FUZZ_SEED=${SEED})`,
  {
    ...needs('python3'),
    ...(process.platform === 'linux' ? {} : { skip: 'looks at /proc' }),
    timeout: 60_000 + FILES * 10_000,
  },
  async (t) => {
    const counts = new Map<string, number>();
    const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const watch = new ProcessWatch();
    t.after(() => watch.close());
    const found: string[] = [];
    let next = SEED;
    const lane = async (): Promise<void> => {
      while (next < SEED + FILES && found.length === 0) {
        const seed = next;
        next += 1;
        const canary = new Canary(t, random(seed), watch, count);
        await canary.run();
        if (canary.hits.length > 0) found.push(`FUZZ_SEED=${seed}:`, ...canary.hits);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const { leaks, samples, looks } = await watch.end();
    assert.deepEqual([...found, ...leaks], []);
    const numbers = [...counts].map(([what, number]) => `${number} ${what}`).toSorted();
    t.diagnostic([...numbers, `${samples} samples`, `${looks} looks at processes`].join(', '));
  },
);
