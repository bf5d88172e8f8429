import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { failure, STYLE } from '../../../../src/internal.ts';
import type { RecordedRuns, RemoteRuns, Result, StartAction } from '../../../../src/internal.ts';
import { checkOrigin, hasKey } from './access.ts';
import { answer, answerError, begin, type ErrorStatus } from './answers.ts';
import { readBody, readBytes, type Fields } from './body.ts';
import { DatabaseChanges } from './database_changes.ts';
import { FileChanges } from './file_changes.ts';
import { PAGE_SCRIPT } from './page_script.ts';
import { PAGE_STYLE } from './page_style.ts';
import { routeOf, type Route } from './routes.ts';
import { startBody } from './start_body.ts';
import { Streams } from './streams.ts';

const HOST = '127.0.0.1';

/** The limits of a client: milliseconds for its headers and for its request, and the number of connections. */
const [HEADERS_TIME, REQUEST_TIME, CHECK_TIME, MAX_CONNECTIONS] = [5000, 10_000, 1000, 128];

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runs</title>
<link rel="stylesheet" href="/ui.css">
<script src="/ui.js" defer></script>
</head>
<body></body>
</html>
`;

/** The files of the page, which contain no data. */
const FILES: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ['/', ['text/html; charset=utf-8', HTML]],
  ['/ui.js', ['text/javascript; charset=utf-8', PAGE_SCRIPT]],
  ['/ui.css', ['text/css; charset=utf-8', `${STYLE}${PAGE_STYLE}`]],
]);

/**
 * `directory` is that of the runs, null for those of all workers. `runShown` returns the run that a page shows first, unless
 * that is the list.
 */
type Surroundings = Readonly<{ runs: RecordedRuns | RemoteRuns; directory: string | null; port: number }> &
  Readonly<{ readOnly: boolean }> &
  Readonly<{ runShown?: () => string | undefined }>;

type PageServer = Readonly<{ port: number; key: string; close: () => void; quietTime: () => number }>;

/** Serves the page on this machine alone. Port 0 is any free one. */
export async function serve(surroundings: Surroundings): Promise<Result<PageServer>> {
  const key = randomBytes(32).toString('hex');
  const handler = new Handler(surroundings, key);
  const limits = { headersTimeout: HEADERS_TIME, requestTimeout: REQUEST_TIME };
  const server = createServer({ ...limits, connectionsCheckingInterval: CHECK_TIME, requireHostHeader: false });
  server.maxConnections = MAX_CONNECTIONS;
  for (const event of ['request', 'checkExpectation'] as const)
    server.on(event, (request, response) => void handler.handle(request, response));
  // The answer of Node.js to what is no request lacks the headers that every answer has.
  server.on('clientError', (_error, socket) => socket.destroy());
  return new Promise((resolve) => {
    const refuse = (error: Error): void => resolve(failure(describeError(error, surroundings.port)));
    server.once('error', refuse);
    try {
      server.listen({ host: HOST, port: surroundings.port, exclusive: true }, () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : surroundings.port;
        handler.port = port;
        const close = (): void => {
          handler.close();
          server.close();
          server.closeAllConnections();
        };
        resolve({ ok: true, value: { port, key, close, quietTime: () => handler.quietTime() } });
      });
    } catch (error) {
      // Bun reports a taken port so.
      if (error instanceof Error) refuse(error);
    }
  });
}

function describeError(error: Error, port: number): string {
  const code = 'code' in error ? error.code : '';
  if (code === 'EADDRINUSE') return `port ${port} is taken`;
  return `cannot listen at port ${port}: ${code === 'EACCES' ? 'permission denied' : error.message}`;
}

/** Answers the requests of pages. */
class Handler {
  port = 0;
  readonly #surroundings: Surroundings;
  readonly #key: string;
  readonly #changes: Streams;

  constructor(surroundings: Surroundings, key: string) {
    this.#surroundings = surroundings;
    this.#key = key;
    const { runs } = surroundings;
    this.#changes = new Streams((send, fail) =>
      runs.kind === 'files' ? new FileChanges(runs, send) : new DatabaseChanges(runs, send, fail),
    );
  }

  close(): void {
    this.#changes.close();
  }

  /** The milliseconds for which no page has been open. */
  quietTime(): number {
    return this.#changes.quietTime();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refused = await this.#respond(request, response);
      if (refused === undefined) return;
      await readBytes(request);
      answerError(response, refused);
    } catch {
      // The request has ended before its body, or runs cannot be read: no detail of that leaves the server.
      if (response.headersSent) response.destroy();
      else answerError(response, this.#surroundings.runs.kind === 'database' ? 503 : 500);
    }
  }

  /** The order of the checks is part of the interface: without the key, no answer reveals what exists. */
  async #respond(request: IncomingMessage, response: ServerResponse): Promise<ErrorStatus | undefined> {
    const { url = '', method } = request;
    const refused = checkOrigin(request, this.port);
    if (refused !== undefined) return refused;
    const file = FILES.get(url);
    if (file !== undefined) {
      if (method !== 'GET') return 405;
      begin(response, 200, file[0]);
      response.end(file[1]);
      return undefined;
    }
    if (!url.startsWith('/api/')) return 404;
    if (!hasKey(request, this.#key)) return 401;
    const route = await this.#found(routeOf(url));
    if (route === undefined) return 404;
    if (route.method !== method) return 405;
    return route.method === 'POST' ? this.#act(route, request, response) : this.#read(route, response);
  }

  /** A route with the whole id of its run; undefined if there is no such run. */
  async #found(route: Route | undefined): Promise<Route | undefined> {
    if (route === undefined || !('id' in route)) return route;
    const id = await this.#surroundings.runs.idOf(route.id);
    return id === undefined ? undefined : { ...route, id };
  }

  async #read(route: Route & { method: 'GET' }, response: ServerResponse): Promise<ErrorStatus | undefined> {
    const { runs, directory, readOnly, runShown } = this.#surroundings;
    switch (route.kind) {
      case 'runs':
        answer(response, 200, { directory, read_only: readOnly, runs: await runs.list(), shown: runShown?.() });
        return undefined;
      case 'changes':
        return (await this.#changes.add(response)) ? undefined : 503;
      case 'run':
        return answerFound(response, await runs.document(route.id));
      case 'log':
        if (runs.kind !== 'files') return 404;
        return answerFound(response, runs.log(route.id, route.session, route.command));
      case 'output':
        return runs.kind === 'files' ? 404 : answerFound(response, await runs.output(route.id));
    }
  }

  async #act(
    { kind, id }: Route & { method: 'POST' },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<ErrorStatus | undefined> {
    if (this.#surroundings.readOnly) return 403;
    const body = await readBody(request);
    if (typeof body === 'number') return body;
    return kind === 'cancel' ? this.#cancel(response, id, body) : this.#start(response, id, kind, body);
  }

  async #cancel(response: ServerResponse, id: string, body: Fields): Promise<ErrorStatus | undefined> {
    if (body.size > 0) return 400;
    if (!(await this.#surroundings.runs.cancel(id))) return 409;
    answer(response, 202, {});
    return undefined;
  }

  /** Without a digest, answers what would start. */
  async #start(
    response: ServerResponse,
    id: string,
    action: StartAction,
    body: Fields,
  ): Promise<ErrorStatus | undefined> {
    const { runs } = this.#surroundings;
    const asked = startBody(action, body);
    if (asked === undefined) return 400;
    if (runs.kind !== 'files') return 409;
    const { digest, ...choices } = asked;
    if (digest === undefined) {
      const preview = await runs.preview(id, action, choices);
      if (preview !== undefined) answer(response, 200, preview);
      return preview === undefined ? 409 : undefined;
    }
    const start = await runs.start(id, action, choices, digest);
    if (start === undefined) return 409;
    if (start.kind === 'started') answer(response, 202, { run: start.run });
    else answer(response, 409, { problems: start.problems, preview: start.preview });
    return undefined;
  }
}

function answerFound(response: ServerResponse, document: object | undefined): 404 | undefined {
  if (document === undefined) return 404;
  answer(response, 200, document);
  return undefined;
}
