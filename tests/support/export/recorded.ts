import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '../cli.ts';

/** A call of a stand-in: its arguments, its environment and its directory. */
export interface RecordedCall {
  readonly call: string;
  readonly arguments: readonly string[];
  readonly environment: readonly string[];
  readonly directory: string;
}

/** The exit code of a call of a stand-in, and its standard output. */
export type Answer = Readonly<{ code: number; text: string }>;

/** The answers of stand-ins by the name of the program, in the order of its calls. */
export type Answers = ReadonlyMap<string, readonly Answer[]>;

const STAND_IN = join(ROOT, 'tests/support/export/stand_in.sh');

/** Variables that differ between a run and a script: that of the shells, and those of cli. */
const EXCEPTED = /^(?:_|CLI_\w*)=/;

/** A directory with programs that record their calls. It can be recreated under the same path. */
export class RecordingDirectory {
  readonly home: string;
  readonly #programs = new Set<string>();
  readonly #texts = new Map<string, number>();

  constructor(home: string) {
    this.home = home;
    for (const name of ['bin', 'texts']) mkdirSync(join(home, name));
    cpSync(STAND_IN, join(home, 'bin/stand-in'));
    chmodSync(join(home, 'bin/stand-in'), 0o755);
  }

  get work(): string {
    return join(this.home, 'work');
  }

  /** The search path with the stand-ins first. */
  get path(): string {
    return [join(this.home, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  }

  /** Creates the programs that a file calls, with their answers. */
  prepare(answers: Answers): void {
    rmSync(join(this.home, 'answers'), { recursive: true, force: true });
    mkdirSync(join(this.home, 'answers'));
    for (const [name, calls] of answers) {
      if (!this.#programs.has(name)) symlinkSync('stand-in', join(this.home, 'bin', name));
      this.#programs.add(name);
      const lines = calls.map(({ code, text }) => `${code} ${this.#text(text)}\n`);
      writeFileSync(join(this.home, 'answers', name), lines.join(''));
    }
  }

  /** The name of the file with a text. */
  #text(text: string): string {
    const number = this.#texts.get(text) ?? this.#texts.size;
    if (!this.#texts.has(text)) writeFileSync(join(this.home, 'texts', String(number)), text);
    this.#texts.set(text, number);
    return String(number);
  }

  /** Removes all recorded calls, and the files of the working directory except those given. */
  reset(files: Readonly<Record<string, string>>, directories: readonly string[] = []): void {
    for (const name of ['work', 'calls']) {
      rmSync(join(this.home, name), { recursive: true, force: true });
      mkdirSync(join(this.home, name));
    }
    rmSync(join(this.home, 'order'), { force: true });
    for (const name of directories) mkdirSync(join(this.work, name));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.work, name), text);
  }

  /** The calls so far, in order. */
  get calls(): readonly RecordedCall[] {
    const order = join(this.home, 'order');
    if (!existsSync(order)) return [];
    return readFileSync(order, 'utf8')
      .trimEnd()
      .split('\n')
      .map((call) => this.#read(call));
  }

  #read(call: string): RecordedCall {
    const list = (name: string): string[] => {
      return readFileSync(join(this.home, 'calls', call, name), 'latin1')
        .split('\0')
        .slice(0, -1);
    };
    return {
      call,
      arguments: list('cmdline').slice(2),
      environment: list('environ')
        .filter((entry) => !EXCEPTED.test(entry))
        .toSorted(),
      directory: readFileSync(join(this.home, 'calls', call, 'directory'), 'utf8'),
    };
  }
}
