import type { ExchangeRequest } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import { ServiceError } from '../errors.ts';

/**
 * Does the server have the route `exchange`? Asked by a turn that tells nothing and wants nothing.
 *
 * An unknown route is answered by Torc's own server with 404 and no body. Our server answers every refusal with a code.
 */
export async function knowsExchange(client: Client, workflowId: number, turn: ExchangeRequest): Promise<boolean> {
  try {
    await client.exchange({ params: { id: workflowId }, body: turn });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return !((error.status === 404 || error.status === 405) && error.code === undefined);
  }
}
