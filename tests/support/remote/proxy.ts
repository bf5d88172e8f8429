import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A network between cli and a database. */
export type Proxy = Readonly<{
  url: string;
  /** Cuts it: nothing arrives, and connections stay open, until `heal`. */
  cut: () => void;
  /** Delivers everything that was sent meanwhile. */
  heal: () => void;
}>;

/** A proxy for the database at a URL, until the end of the test. */
export async function createProxy(t: TestContext, url: string): Promise<Proxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let isCut = false;
  const deliver = (act: () => void): void => {
    if (isCut) held.push(act);
    else act();
  };
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (chunk) => deliver(() => to.write(chunk)));
    from.on('end', () => deliver(() => to.end()));
    from.on('error', () => deliver(() => to.destroy()));
    from.on('close', () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    forward(near, far);
    forward(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const near = new URL(url);
  near.port = String(address.port);
  return {
    url: near.href,
    cut: () => (isCut = true),
    heal: () => {
      isCut = false;
      for (const act of held.splice(0)) act();
    },
  };
}
