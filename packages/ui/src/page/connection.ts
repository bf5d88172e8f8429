import type { ListedRun, Preview, RunDocument, StartAction, TextEnd } from '../../../../src/internal.ts';

/** The document of all runs; the directory of those of workers is null. `shown` is the run that has opened the page. */
export type RunList = Readonly<{ directory: string | null; read_only: boolean; runs: readonly ListedRun[] }> &
  Readonly<{ shown?: string }>;

/** The name of the key in the storage of the page's origin, to which its port belongs. */
const KEY = 'key';

/** The time until a lost connection is tried again, and between two answers to changes, in milliseconds. */
const [RETRY, PAUSE] = [1000, 100];

/**
 * Moves the key from the address, where a look over the shoulder finds it, to the storage of this origin. False if the
 * address has none.
 */
export function takeKey(): boolean {
  const key = /^#k=([0-9a-f]{64})$/.exec(location.hash)?.[1];
  if (key === undefined) return false;
  localStorage.setItem(KEY, key);
  history.replaceState(null, '', '#/');
  return true;
}

/** Whether the server has rejected the key, or there is none. */
class KeyRejected extends Error {}

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const key = localStorage.getItem(KEY);
  if (key === null) throw new KeyRejected();
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401) throw new KeyRejected();
  if (response.status >= 500) throw new Error('the server cannot read the runs at the moment');
  return response;
}

export async function fetchRuns(): Promise<RunList> {
  const list: RunList = await (await request('/api/runs')).json();
  return list;
}

/** The document at an address; undefined if there is none. */
async function fetchFound<Document>(path: string): Promise<Document | undefined> {
  const response = await request(path);
  if (!response.ok) return undefined;
  const document: Document = await response.json();
  return document;
}

/** The document of a run; undefined if there is no such run. */
export function fetchRun(id: string): Promise<RunDocument | undefined> {
  return fetchFound(`/api/runs/${encodeURIComponent(id)}`);
}

/** The end of a log of a run, whose name is a part of the address. */
export function fetchLog(id: string, log: string): Promise<TextEnd | undefined> {
  return fetchFound(`/api/runs/${encodeURIComponent(id)}/${log}`);
}

/** Interrupts a run. False if its state does not allow it. */
export async function cancelRun(id: string): Promise<boolean> {
  return (await request(`/api/runs/${id}/cancel`, { method: 'POST', body: '{}' })).ok;
}

/** The answer to a request to start something: what would start, what has started, or why nothing was. */
export type StartAnswer = Readonly<
  | { kind: 'preview'; preview: Preview }
  | { kind: 'started'; run: string }
  | { kind: 'refused'; problems: readonly string[]; preview?: Preview }
>;

/** Asks what would start, or with a digest, starts it. Without a preview, the state of the run does not allow it. */
export async function requestStart(id: string, action: StartAction, fields: object): Promise<StartAnswer> {
  const response = await request(`/api/runs/${id}/${action}`, { method: 'POST', body: JSON.stringify(fields) });
  if (response.status === 200) return { kind: 'preview', preview: await response.json() };
  const answer: Readonly<{ run: string; problems?: readonly string[]; preview?: Preview }> = await response.json();
  if (response.status === 202) return { kind: 'started', run: answer.run };
  return { kind: 'refused', problems: [], ...answer };
}

/** The state of the connection. */
export type Connection = 'connected' | 'lost' | 'rejected';

/** Calls `onChange` when a run has changed, and at first; connects again until the key is rejected. */
export async function follow(
  onChange: () => Promise<void>,
  onConnection: (connection: Connection) => void,
): Promise<void> {
  const changes = throttled(onChange);
  for (;;) {
    try {
      const response = await request('/api/changes');
      const reader = response.ok ? response.body?.getReader() : undefined;
      if (reader !== undefined) await readChanges(reader, changes, onConnection);
    } catch (error) {
      if (error instanceof KeyRejected) {
        onConnection('rejected');
        return;
      }
    }
    onConnection('lost');
    await pause(RETRY);
  }
}

/** Reads the stream of changes to its end. */
async function readChanges(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  changes: () => Promise<void>,
  onConnection: (connection: Connection) => void,
): Promise<void> {
  while (!(await reader.read()).done) {
    await changes();
    onConnection('connected');
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A function that calls another one at once, and at most once per pause. */
function throttled(action: () => Promise<void>): () => Promise<void> {
  let last = 0;
  // Changes that arrive meanwhile wait in the stream, and are answered together.
  return async () => {
    const wait = last + PAUSE - performance.now();
    if (wait > 0) await pause(wait);
    last = performance.now();
    await action();
  };
}
