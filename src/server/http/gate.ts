import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Refusal } from '../../core/contract/refusals.ts';
import { errorBody } from './errors.ts';
import { answerHeaders, JSON_TYPE } from './headers.ts';
import { createGate, type GateRules } from './origin.ts';

/** The request listener after the origin check. Pages of allowed origins may read its replies. */
export function behindGate(rules: GateRules, listener: RequestListener): RequestListener {
  const refusalOf = createGate(rules);
  const allowed = new Set(rules.origins);
  return (incoming, outgoing) => {
    const { headers } = incoming;
    const refusal = refusalOf(headers);
    if (refusal !== undefined) {
      refuse(refusal, incoming, outgoing);
      return undefined;
    }
    const { origin } = headers;
    if (origin !== undefined && allowed.has(origin)) {
      for (const [name, value] of Object.entries(sharing(origin))) outgoing.setHeader(name, value);
      if (incoming.method === 'OPTIONS') {
        outgoing.writeHead(204, preflight(headers['access-control-request-headers'])).end();
        return undefined;
      }
    }
    return listener(incoming, outgoing);
  };
}

function refuse(refusal: Refusal, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { status, body } = errorBody(refusal);
  outgoing
    .writeHead(status, answerHeaders(incoming, incoming.headers['x-span-id'], JSON_TYPE))
    .end(JSON.stringify(body));
}

const sharing = (origin: string) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Allow-Credentials': 'true',
  Vary: 'Origin',
});

const preflight = (headers = 'Content-Type') => ({
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': headers,
  'Access-Control-Max-Age': '600',
});
