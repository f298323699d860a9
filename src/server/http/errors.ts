import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * The reply for an error: a refusal says what, why and what to do; any other error is ours, and the reply says only
 * that.
 */
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
      headers: typeof after === 'number' ? { 'retry-after': String(after) } : {},
    };
  }
  return {
    status: 500,
    headers: {},
    body: {
      error: {
        error: 'InternalServerError',
        message: 'The server failed to answer this request; its log contains the reason.',
      },
    },
  };
}
