import type { ExchangeReply, ExchangeRequest } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import { ServiceError } from '../errors.ts';
import { isUnknownRoute } from './unknown-route.ts';

/** Whether the server has the route, and what it replied if it accepted the exchange. */
export interface Known {
  readonly isKnown: boolean;
  readonly reply?: ExchangeReply;
}

/** Whether the server has the route `exchange`. The check sends an exchange that reports nothing and requests no job. */
export async function knowsExchange(client: Client, workflowId: number, turn: ExchangeRequest): Promise<Known> {
  try {
    return { isKnown: true, reply: await client.exchange({ params: { id: workflowId }, body: turn }) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return { isKnown: !isUnknownRoute(error) };
  }
}
