import type { Send } from './client.ts';
import { pause } from './long-timers.ts';
import { patiently } from './retry.ts';

/** How long a server that answered before is retried: a restart takes a few seconds. */
export const PATIENCE_MS = 30_000;
const SERVICE_UNAVAILABLE = 503;

/**
 * Retries requests without a reply once the server has answered anything: a server that never answered is reported at
 * once. Each request is executed once, however often it is sent.
 */
export function patientAfterContact(send: Send, onAway: (reason: string) => void): Send {
  let wasReached = false;
  const patient = patiently(send, {
    patienceMs: PATIENCE_MS,
    now: () => performance.now(),
    wait: pause,
    retries: (status) => status === SERVICE_UNAVAILABLE,
    onAway,
  });
  return async (request) => {
    if (wasReached) return patient(request);
    const response = await send(request);
    wasReached = true;
    return response;
  };
}
