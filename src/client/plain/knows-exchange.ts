import type { ExchangeRequest } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import { ServiceError } from '../errors.ts';

/**
 * Whether the server has the route `exchange`. The check sends an exchange that reports nothing and requests nothing.
 *
 * Torc's own server answers an unknown route with 404 and no body. Our server answers every refusal with a code.
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
