import { isRemoteName, type StartAction } from '../../../../src/internal.ts';

/** The requests of the page for data. `method` is the only one of its address. */
export type Route = Readonly<
  | { kind: 'runs'; method: 'GET' }
  | { kind: 'changes'; method: 'GET' }
  | { kind: 'run'; method: 'GET'; id: string }
  | { kind: 'log'; method: 'GET'; id: string; session: number; command: number }
  | { kind: 'output'; method: 'GET'; id: string }
  | { kind: 'cancel' | StartAction; method: 'POST'; id: string }
>;

const ACTIONS = { '/cancel': 'cancel', '/resume': 'resume', '/again': 'again' } as const;

/** The route of a path below /api/. Ids are looked up among the recorded runs later. */
export function routeOf(path: string): Route | undefined {
  if (path === '/api/runs') return { kind: 'runs', method: 'GET' };
  if (path === '/api/changes') return { kind: 'changes', method: 'GET' };
  const [, id, rest] = /^\/api\/runs\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (id === undefined || !isRemoteName(id)) return undefined;
  if (rest === undefined) return { kind: 'run', method: 'GET', id };
  if (rest === '/log') return { kind: 'output', method: 'GET', id };
  if (rest === '/cancel' || rest === '/resume' || rest === '/again') return { kind: ACTIONS[rest], method: 'POST', id };
  const [, session, command] = /^\/logs\/([1-9]\d{0,8})-(0|[1-9]\d{0,8})$/.exec(rest) ?? [];
  if (session === undefined || command === undefined) return undefined;
  return { kind: 'log', method: 'GET', id, session: Number(session), command: Number(command) };
}
