import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { LIFETIME } from '../approval/approvals.ts';
import type { Form } from '../approval/form.ts';
import type { Call, Person } from '../approval/person.ts';

/** The protocol of a connection: since 2026-07-28, a host brings answers in further requests. */
export type Era = 'modern' | 'legacy';

/** The name of the form among the inputs of a request. */
export const APPROVAL = 'approval';

/** The call of a tool, as the host has made it. */
export function callOf(server: Server, era: Era, { mcpReq }: ServerContext): Call {
  const token = memberOf(memberOf(mcpReq, '_meta'), 'progressToken');
  const onEnded = (progress: number): void => {
    if (token === undefined) return;
    // A host that is gone reads nothing.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken: token, progress } })
      .catch(() => undefined);
  };
  return { person: personAt(server, era, mcpReq), signal: mcpReq.signal, onEnded };
}

function personAt(server: Server, era: Era, mcpReq: ServerContext['mcpReq']): Person {
  if (era === 'modern') {
    const envelope = new Map<string, unknown>(Object.entries(mcpReq.envelope ?? {}));
    const canAsk = showsForms(envelope.get(CLIENT_CAPABILITIES_META_KEY));
    const state = mcpReq.requestState<string>();
    const answer = mcpReq.inputResponses?.[APPROVAL];
    return { canAsk, ...(state !== undefined && { round: { state, answer } }) };
  }
  const ask = async (form: Form): Promise<unknown> => {
    const options = { timeout: LIFETIME, signal: mcpReq.signal };
    // An error of the host is no approval.
    return mcpReq.send({ method: 'elicitation/create', params: elicitation(form) }, options).catch(() => undefined);
  };
  return { canAsk: showsForms(server.getClientCapabilities()), ask };
}

/** Whether the capabilities of a host have forms. Without modes, it shows nothing else. */
function showsForms(capabilities: unknown): boolean {
  const elicitation = memberOf(capabilities, 'elicitation');
  return (
    memberOf(elicitation, 'form') !== undefined || (isObject(elicitation) && memberOf(elicitation, 'url') === undefined)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined;
}

/** A form in the protocol. */
export function elicitation({ message, booleans }: Form): ElicitRequestFormParams {
  const properties = Object.fromEntries(
    booleans.map(([name, title]) => [name, { type: 'boolean', title, default: false } as const]),
  );
  return { message, requestedSchema: { type: 'object', properties, required: booleans.map(([name]) => name) } };
}
