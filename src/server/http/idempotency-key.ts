import type { Context } from 'hono';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Caller } from '../caller.ts';
import type { Answers } from './answers.ts';

/** Printable ASCII: the characters that a header can transmit unchanged. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** A request that may be repeated: its key, separate for each caller, and the data that identifies the request. */
export interface Repeatable {
  readonly key: string;
  readonly request: string;
}

/** The `Idempotency-Key` of a request; undefined without one. */
export function repeatableOf(context: Context<Answers>, { user = '' }: Caller): Repeatable | undefined {
  const given = context.req.header('idempotency-key');
  if (given === undefined) return undefined;
  if (!KEY.test(given)) {
    throw new Refusal('PARAMETER_REFUSED', 'Idempotency-Key: expected 1 to 255 printable characters without blanks', {
      field: 'Idempotency-Key',
      found: given,
    });
  }
  const { method, url } = context.req;
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const bytes = context.req.header('content-length') ?? '0';
  return { key: `${user} ${given}`, request: `${method} ${path} with ${bytes} bytes` };
}
