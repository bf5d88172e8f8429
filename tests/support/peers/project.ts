import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';
import { finish, temporaryDirectory, type Cleaner, type CommandResult } from '../cli.ts';
import type { Contents, Tool } from './tools.ts';

/** The command of the task `build`. It fails for a bad source, and waits while there is a file `wait`. */
const COMMAND = [
  'echo run >>log',
  'cat src/*.txt >out',
  'while test -e wait; do sleep 0.05; done',
  'echo "mode $MODE" >>out',
  'chmod 755 out',
  '! grep -q bad src/a.txt',
].join('; ');

/** A project of a tool. */
export class Project {
  readonly #tool: Tool;
  readonly #cwd: string;
  #contents: Contents = { command: COMMAND, comment: 'what the tasks are for' };
  #mode = '';

  constructor(t: Cleaner, tool: Tool) {
    this.#tool = tool;
    this.#cwd = temporaryDirectory(t, { 'src/a.txt': 'one\n', 'src/b.txt': 'two\n' });
    // The sources are older than what is made of them.
    for (const name of ['src/a.txt', 'src/b.txt']) utimesSync(this.path(name), 1e9, 1e9);
    this.#writeFile();
  }

  path(name: string): string {
    return join(this.#cwd, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  setMode(mode: string): void {
    this.#mode = mode;
  }

  edit(contents: (before: Contents) => Contents): void {
    this.#contents = contents(this.#contents);
    this.#writeFile();
  }

  async run(task = 'build'): Promise<CommandResult> {
    const [program, ...args] = this.#tool.command(task);
    return finish(program, args, { cwd: this.#cwd, env: this.#env });
  }

  /** Starts a run, calls a function while its command waits, and waits for its end. */
  async during(work: () => 'goes on' | 'is killed'): Promise<void> {
    const before = this.runs();
    this.write('wait', '');
    const [program, ...args] = this.#tool.command('build');
    const env = { ...process.env, ...this.#env };
    const child = spawn(program, args, { cwd: this.#cwd, env, detached: true, stdio: 'ignore' });
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    await until(
      () => this.runs() > before && existsSync(this.path('out')) && readFileSync(this.path('out'), 'utf8') !== '',
      () => `${program} runs`,
    );
    if (work() === 'goes on') rmSync(this.path('wait'));
    else if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(this.path('wait'), { force: true });
  }

  /** The number of lines in a log: how often a command has run. */
  runs(log = 'log'): number {
    return existsSync(this.path(log)) ? readFileSync(this.path(log), 'utf8').split('\n').length - 1 : 0;
  }

  /** What is made, with its mode, or why there is nothing. */
  made(cwd = this.#cwd): string {
    const path = join(cwd, 'out');
    return existsSync(path) ? `${statSync(path).mode.toString(8)} ${readFileSync(path, 'utf8')}` : 'nothing';
  }

  /** What the command makes in a clean directory, and whether it succeeds. */
  async clean(t: Cleaner): Promise<Readonly<{ made: string; succeeds: boolean }>> {
    const cwd = temporaryDirectory(t);
    cpSync(this.path('src'), join(cwd, 'src'), { recursive: true });
    const { code } = await finish('sh', ['-c', this.#contents.command], { cwd, env: this.#env });
    return { made: this.made(cwd), succeeds: code === 0 };
  }

  get #env(): Readonly<Record<string, string | undefined>> {
    return { ...this.#tool.env, MODE: this.#mode, HOME: this.path('home') };
  }

  #writeFile(): void {
    mkdirSync(this.path('.cli'), { recursive: true });
    this.write(this.#tool.file, this.#tool.text(this.#contents));
  }
}
