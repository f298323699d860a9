import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Refusal } from '../../core/contract/refusals.ts';

/** An error as its answer: a refusal says what, why and what to do; anything else is ours and says only that. */
export function errorBody(error: unknown): {
  status: ContentfulStatusCode;
  body: object;
  headers: Readonly<Record<string, string>>;
} {
  if (error instanceof Refusal) {
    const { status, message, code, remedy, facts } = error;
    const after = facts['retry_after_seconds'];
    return {
      status: status as ContentfulStatusCode,
      body: { error: { ...facts, message, code, remedy } },
      headers: typeof after === 'number' ? { 'Retry-After': String(after) } : {},
    };
  }
  return {
    status: 500,
    headers: {},
    body: { error: { error: 'InternalServerError', message: 'The server failed at this; its log says why.' } },
  };
}
