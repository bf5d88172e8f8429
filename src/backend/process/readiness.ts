import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import type { BackgroundRequest, CommandRequest, Exit, ReadyTest } from '../command_runner.ts';
import type { OutputListener } from '../outputs/branch_output.ts';
import { withoutControls } from '../outputs/value_mask.ts';
import { delay } from '../system/sleep.ts';

/** The time between the starts of two tries, and after the end of a command, in milliseconds. */
const [INTERVAL, COMMAND_INTERVAL] = [100, 200];

/** Maximum time of a try, in milliseconds: a server that is starting may accept a connection and never answer. */
const TRY_LIMIT = 5000;

/** The addresses of this machine. */
const HOSTS = ['127.0.0.1', '::1'] as const;

/** Watches whether a command in the background is ready. */
export type Readiness = Readonly<{
  /** The reason why the command must not start: something else would pass its test. */
  problem: () => Promise<string | undefined>;
  /** Receives the output, and passes it on. */
  listener: (next: OutputListener | undefined) => OutputListener;
  /** Begins to test. `onReady` is called once, when the command is ready. */
  begin: (onReady: () => void) => void;
  /** Must be called as soon as the command has ended. */
  end: () => void;
}>;

/** `attempt` runs the command of a test. */
export function watchReadiness(
  { test, onReady, onTry, onEnd }: BackgroundRequest,
  attempt: (request: CommandRequest) => Promise<Exit>,
): Readiness {
  const output = test?.kind === 'output' ? new LineSearch(test.text) : undefined;
  let state: 'waiting' | 'ready' | 'ended' = 'waiting';
  let [started, found] = [0, (): void => undefined];
  const isWaiting = (): boolean => state === 'waiting';
  const tryOften = async (holds: () => Promise<boolean>, interval: (began: number) => number): Promise<void> => {
    for (let tries = 1; isWaiting(); tries += 1) {
      const began = performance.now();
      if (await holds()) return found();
      // Later tries are reported at twice the last number, or there would be hundreds of reports.
      if (isWaiting() && Math.log2(tries) % 1 === 0) onTry(tries);
      await delay(Math.max(0, interval(began)));
    }
  };
  return {
    problem: async () => {
      if (test?.kind === 'port' && (await isListening(test.port))) return `port ${test.port} is already in use`;
      if (test?.kind === 'url' && (await statusOf(test.text)) !== undefined) return `${test.text} already answers`;
      return undefined;
    },
    listener: (next) => ({
      add: (chunk) => {
        next?.add(chunk);
        if (isWaiting() && output?.finds(chunk) === true) found();
      },
    }),
    begin: (whenReady) => {
      started = performance.now();
      found = () => {
        if (!isWaiting()) return;
        state = 'ready';
        whenReady();
        onReady(Math.round(performance.now() - started));
      };
      if (test === null || output?.isFound === true) return found();
      const holds = testOf(test, attempt);
      const isCommand = test.kind === 'run';
      if (holds === undefined) return undefined;
      void tryOften(holds, (began) => (isCommand ? COMMAND_INTERVAL : INTERVAL - (performance.now() - began)));
    },
    end: () => {
      state = 'ended';
      onEnd();
    },
  };
}

/** A function that makes one try; undefined for a test of the output. */
function testOf(
  test: ReadyTest,
  attempt: (request: CommandRequest) => Promise<Exit>,
): (() => Promise<boolean>) | undefined {
  switch (test.kind) {
    case 'port':
      return () => isListening(test.port);
    case 'url':
      return async () => ((await statusOf(test.text)) ?? 500) < 500;
    case 'run':
      return async () => {
        const exit = await attempt(test.request);
        return exit.kind === 'exited' && exit.code === 0;
      };
    case 'output':
      return undefined;
  }
}

/** Whether connections to a port of this machine are accepted. */
async function isListening(port: number): Promise<boolean> {
  const tries = HOSTS.map((host) => {
    return new Promise<boolean>((resolve) => {
      const socket = connect({ host, port, timeout: TRY_LIMIT });
      const settle = (isOpen: boolean): void => {
        socket.destroy();
        resolve(isOpen);
      };
      socket.once('connect', () => settle(true));
      socket.once('error', () => settle(false));
      socket.once('timeout', () => settle(false));
    });
  });
  return (await Promise.all(tries)).includes(true);
}

/** The status of the answer of a URL; undefined without an answer. The certificate of a local server is not checked. */
function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: TRY_LIMIT, agent: false, rejectUnauthorized: false };
    const request = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
    const settle = (status: number | undefined): void => {
      request.destroy();
      resolve(status);
    };
    request.once('response', ({ statusCode }) => settle(statusCode));
    request.once('error', () => settle(undefined));
    request.once('timeout', () => settle(undefined));
    request.end();
  });
}

/** Maximum size of a line to search, in bytes. The rest of a longer one counts as another line. */
const LINE_LIMIT = 65_536;

/** Searches the lines of an output for a text, also a line that has not ended yet. */
class LineSearch {
  readonly #text: string;
  #line = Buffer.alloc(0);
  isFound = false;

  constructor(text: string) {
    this.#text = text;
  }

  finds(chunk: Buffer): boolean {
    const read = Buffer.concat([this.#line, chunk]);
    const lines = read.toString().split(/[\r\n]/);
    this.isFound ||= lines.some((line) => withoutControls(line).includes(this.#text));
    const end = Math.max(read.lastIndexOf(10), read.lastIndexOf(13)) + 1;
    this.#line = Buffer.from(read.subarray(Math.max(end, read.length - LINE_LIMIT)));
    return this.isFound;
  }
}
