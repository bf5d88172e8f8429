import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRuns } from '../../../../src/internal.ts';
import type { ChangeSource } from './streams.ts';

/** The time for which changes are collected, and between two looks at what inotify may not report. */
const [PAUSE, LOOK] = [60, 1000];

/** Notices changes of the records of a directory. */
export class FileChanges implements ChangeSource {
  readonly #runs: RecordedRuns;
  readonly #send: (run: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #marks = new Map<string, string>();
  /** Runs that only a change of their files can change, and those of which a watcher has reported one. */
  readonly #settled = new Set<string>();
  readonly #dirty = new Set<string>();
  #ids: readonly string[] = [];
  #look: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(runs: RecordedRuns, send: (run: string) => void) {
    this.#runs = runs;
    this.#send = send;
  }

  start(): void {
    this.#look ??= setInterval(() => this.#compare(), LOOK);
    this.#compare();
  }

  stop(): void {
    clearInterval(this.#look);
    clearTimeout(this.#pause);
    [this.#look, this.#pause] = [undefined, undefined];
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#marks.clear();
    this.#settled.clear();
  }

  /** Compares the runs that may have changed with their last marks. A mark is taken before anything reads its run. */
  #compare(): void {
    const ids = this.#runs.ids();
    this.#watch('');
    const changed = new Set<string>();
    for (const id of new Set([...this.#ids, ...ids])) {
      if (!ids.includes(id)) {
        changed.add(id);
        this.#forget(id);
        continue;
      }
      const isWatched = this.#watch(id);
      if (this.#settled.has(id) && isWatched && !this.#dirty.has(id)) continue;
      // Before the mark, which then contains the end of the process.
      if (this.#runs.isSettled(id)) this.#settled.add(id);
      else {
        this.#settled.delete(id);
        this.#watch(join(id, 'logs'));
      }
      const mark = this.#runs.mark(id);
      if (mark !== this.#marks.get(id)) changed.add(id);
      this.#marks.set(id, mark);
    }
    this.#dirty.clear();
    this.#ids = ids;
    for (const run of changed) this.#send(run);
  }

  #forget(id: string): void {
    this.#marks.delete(id);
    this.#settled.delete(id);
    for (const path of [id, join(id, 'logs')]) {
      this.#watchers.get(path)?.close();
      this.#watchers.delete(path);
    }
  }

  /** Watches a directory below that of all records. False if that is not possible: each look then compares it. */
  #watch(path: string): boolean {
    if (this.#watchers.has(path)) return true;
    try {
      const watcher = watch(join(this.#runs.path, path), { persistent: false }, () => this.#notice(path));
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(path);
      });
      this.#watchers.set(path, watcher);
      return true;
    } catch {
      return false;
    }
  }

  #notice(path: string): void {
    const [id = ''] = path.split('/');
    if (id !== '') this.#dirty.add(id);
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#compare();
    }, PAUSE);
  }
}
