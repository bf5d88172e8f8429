import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { openOwn, readWhole } from '../../backend/system/regular_file.ts';
import { startProgram, type ProgramOutput } from '../../backend/system/run_program.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { doneUnless } from '../../records/journal/directory/done_unless.ts';
import { isRemoteName } from '../../records/journal/run_id.ts';
import type { Io } from '../output/io.ts';
import { failure, type Failure, type Result } from '../../base/result.ts';
import { changeDirectory } from '../driver/find_directory.ts';
import { shortCommit, type PushedCommit } from './pushed_commit.ts';

/** The maximum size of the note of a checkout, in bytes. */
const MAX_NOTE = 4096;

/** The directory of all checkouts, in that of the worker. */
const DIRECTORY = '.cli/checkouts';

/** A commit to check out for a run. `marker` marks the processes of git. */
export type CheckoutSettings = PushedCommit & Readonly<{ run: string; marker: string }>;

/**
 * A checkout that has been entered. `remove` returns a problem; `keep` notes its state, so that changes of others are
 * recognised later.
 */
type Checkout = Readonly<{ remove: () => Promise<string | undefined>; keep: () => Promise<void> }>;

type Git = (args: readonly string[], cwd?: string) => Promise<ProgramOutput>;

/**
 * Checks a commit out into a directory of the run, unless an earlier worker of the run has done so here, and changes to
 * it.
 */
export async function enterCheckout(
  io: Io,
  { commit, directory, run, marker }: CheckoutSettings,
): Promise<Result<Checkout>> {
  const fail = (problem: string): Failure => failure(`cannot check out ${shortCommit(commit)}: ${problem}`);
  // The database is written by others: neither may be a flag or lead out of the directory.
  if (!/^[\da-f]{40,64}$/.test(commit)) return fail('it is not the id of a commit');
  if (!isRemoteName(run)) return fail('its run has no id that can be the name of a directory');
  const home = process.cwd();
  // The reason of a lock is translated.
  const env = { [marker]: '1', LC_ALL: 'C' };
  const git: Git = (args, cwd = home) => startProgram('git', args, { cwd, env });
  const top = await git(['rev-parse', '--show-toplevel']);
  if (!top.ok) return fail(`the worker needs git: ${top.problems.join('; ')}`);
  if (top.value.exitCode !== 0) return fail(`the directory of the worker is in no git repository: ${home}`);
  const fetched = problemOf(await git(['fetch']));
  // A commit that is there is the right one, even if the remote cannot be reached.
  if (problemOf(await git(['cat-file', '-e', `${commit}^{commit}`])) !== undefined) {
    return fail(
      fetched === undefined ? "git fetch does not bring it to the worker's repository" : `git fetch: ${fetched}`,
    );
  }
  const made = trySystemCall(() => makeDirectory(resolve(home, DIRECTORY)));
  if (typeof made === 'string') return fail(made);
  const path = join(made.path, run);
  const note = new CheckoutNote(git, made.path, run);
  if (!note.isOwn()) return fail(`${path} exists and was not made for this run: move it away`);
  const added = await addWorktree(git, path, commit);
  if (added !== undefined) return fail(`git worktree add: ${added}`);
  const isEdited = await note.isEdited();
  if (!enter(io, path, directory)) return fail(`it has no directory '${directory}'`);
  const remove = async (): Promise<string | undefined> => {
    changeDirectory(io, home);
    const advice = `git worktree remove --force ${path}`;
    if (isEdited) return `${path} stays: it was changed between two sessions of the run; to remove it: ${advice}`;
    const problem = problemOf(await git(['worktree', 'remove', '--force', path]));
    if (problem !== undefined) return `cannot remove ${path}: ${problem}`;
    note.remove();
    return undefined;
  };
  return { ok: true, value: { remove, keep: () => note.write() } };
}

/** The file beside a checkout that says that a worker has made it for a run, and which changes the run has left in it. */
class CheckoutNote {
  readonly #git: Git;
  readonly #tree: string;
  readonly #file: string;
  readonly #run: string;

  constructor(git: Git, directory: string, run: string) {
    this.#git = git;
    this.#tree = join(directory, run);
    this.#file = join(directory, `.${run}`);
    this.#run = run;
  }

  /** Whether the checkout is that of the run, or can become it. Notes that before it is made. */
  isOwn(): boolean {
    if (lstatSync(this.#tree, { throwIfNoEntry: false }) === undefined) this.#write('');
    // On some file systems, two ids are one name.
    return this.#read()[0] === this.#run;
  }

  /** Whether others have changed the checkout since a session of the run has ended in it. Stays noted. */
  async isEdited(): Promise<boolean> {
    const [, changes = ''] = this.#read();
    const isEdited = changes !== '' && changes !== (await this.#changes());
    this.#write(isEdited ? 'edited' : '');
    return isEdited;
  }

  /** Notes the changes of a session that has ended. */
  async write(): Promise<void> {
    if (this.#read()[1] === '') this.#write(await this.#changes());
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }

  /** A text for the changed and the untracked files, with their sizes and times. */
  async #changes(): Promise<string> {
    const status = await this.#git(
      ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'],
      this.#tree,
    );
    const lines = status.ok ? status.value.stdout.split('\0') : [];
    const files = lines.map((line) => {
      const stats = lstatSync(join(this.#tree, line.slice(3)), { throwIfNoEntry: false });
      return `${line} ${stats?.size} ${stats?.mtimeMs}`;
    });
    return createHash('sha256').update(files.join('\0')).digest('hex');
  }

  #write(changes: string): void {
    // A link in its place is not written through.
    this.remove();
    writeFileSync(this.#file, `${this.#run}\n${changes}\n`, { flag: 'wx' });
  }

  #read(): readonly string[] {
    const text = readWhole(openOwn(this.#file), MAX_NOTE);
    return typeof text === 'string' ? [] : text.toString().split('\n');
  }
}

/** Creates the directory of all checkouts, which git ignores. */
function makeDirectory(path: string): Readonly<{ path: string }> {
  mkdirSync(path, { recursive: true });
  doneUnless('EEXIST', () => writeFileSync(join(path, '.gitignore'), '*\n', { flag: 'wx' }));
  // Git lists real paths.
  return { path: realpathSync(path) };
}

/** Makes a working tree, or finds it; returns a problem. */
async function addWorktree(git: Git, path: string, commit: string): Promise<string | undefined> {
  const listed = await git(['worktree', 'list', '--porcelain']);
  const entries = listed.ok ? listed.value.stdout.split('\n\n') : [];
  const known = entries.map((entry) => entry.split('\n')).find(([first]) => first === `worktree ${path}`);
  // Git locks a working tree until all of its files are there.
  const isWhole = known !== undefined && existsSync(path) && !known.some((line) => /^locked initializing$/.test(line));
  if (isWhole) return undefined;
  if (known !== undefined) await git(['worktree', 'remove', '--force', '--force', path]);
  return problemOf(await git(['worktree', 'add', '--detach', path, commit]));
}

/** Changes to a directory in a working tree; false if there is none. */
function enter(io: Io, tree: string, directory: string): boolean {
  const path = trySystemCall(() => ({ real: realpathSync(join(tree, directory)) }));
  if (typeof path === 'string' || (path.real !== tree && !path.real.startsWith(`${tree}${sep}`))) return false;
  return trySystemCall(() => changeDirectory(io, path.real)) === undefined;
}

/** The error message of git, without the credentials of URLs; undefined if it succeeded. */
function problemOf(output: ProgramOutput): string | undefined {
  if (!output.ok) return output.problems.join('; ');
  if (output.value.exitCode === 0) return undefined;
  const lines = output.value.stderr.trim().split('\n');
  const reason = lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines[0] ?? '';
  return reason.replace(/^\w+: /, '').replaceAll(/\/\/[^/@\s]+@/g, '//***@');
}
