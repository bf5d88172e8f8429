import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { main } from '../../../src/cli.ts';
import { withoutTimes, type CommandResult } from '../cli.ts';
import { STATE_HOME } from '../environment.ts';
import { until } from '../until.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A call of cli in the process of the tests. */
export type Client = Readonly<{
  /** All of standard error so far. Times of plain lines are `<time>`. */
  stderr: () => string;
  /** Waits until standard error contains a text. */
  says: (text: string) => Promise<void>;
  ended: Promise<CommandResult>;
}>;

/** A client that has submitted its run no longer needs the directory and the variables of its process. */
const SUBMITTED = /^cli: run \S+ (?:is queued|exists already)/m;

/** Settles when the last call needs the directory and the variables of this process no longer. */
let free: Promise<unknown> = Promise.resolve();

/**
 * Calls cli in this process, which saves 0.2 s for the start of a process that loads the engine. Calls overlap once they
 * have submitted their runs: before, each one has the directory and the variables of this process for itself.
 */
export function callClient(args: readonly string[], cwd: string, env: Environment): Client {
  const path = mkdtempSync(join(STATE_HOME, 'client-'));
  const [stdout, stderr] = [join(path, 'stdout'), join(path, 'stderr')];
  const io = { stdin: openSync('/dev/null', 'r'), stdout: openSync(stdout, 'a'), stderr: openSync(stderr, 'a') };
  let result: CommandResult | undefined;
  const shown = (): string => result?.stderr ?? withoutTimes(readFileSync(stderr, 'utf8'));
  const call = async (): Promise<CommandResult> => {
    let signal: NodeJS.Signals | null = null;
    const die = (name: NodeJS.Signals): Promise<number> => {
      signal = name;
      return Promise.resolve(1);
    };
    const code = await main(args, { ...io, env: { ...env }, die });
    result = { code: signal === null ? code : null, signal, stdout: readFileSync(stdout, 'utf8'), stderr: shown() };
    for (const descriptor of Object.values(io)) closeSync(descriptor);
    rmSync(path, { recursive: true });
    return result;
  };
  const begun = free.then(() => {
    const leave = enter(cwd, env);
    const ended = call();
    const over = ended.then(
      () => true,
      () => true,
    );
    const submit = async (): Promise<void> => {
      while (!SUBMITTED.test(shown()) && !(await Promise.race([over, delay(10, false)])));
      leave();
    };
    return { ended, submitted: submit() };
  });
  free = begun.then(({ submitted }) => submitted);
  const says = (text: string): Promise<void> =>
    until(
      () => shown().includes(text),
      () => `${text} in:\n${shown()}`,
    );
  return { stderr: shown, says, ended: begun.then(({ ended }) => ended) };
}

/** Changes the directory and the variables of this process. Returns a function that restores them. */
function enter(cwd: string, env: Environment): () => void {
  const directory = process.cwd();
  const names = [...new Set([...Object.keys(process.env), ...Object.keys(env)])];
  const changed = names.filter((name) => process.env[name] !== env[name]);
  const before = changed.map((name) => [name, process.env[name]] as const);
  // The tool replaces these streams while it loads the engine.
  const streams = (['stdout', 'stderr'] as const).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  process.chdir(cwd);
  setVariables(changed.map((name) => [name, env[name]] as const));
  return () => {
    process.chdir(directory);
    setVariables(before);
    for (const [name, descriptor] of streams) if (descriptor) Object.defineProperty(process, name, descriptor);
  };
}

function setVariables(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
