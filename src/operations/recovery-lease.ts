import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '../client/client.ts';
import { isUnknownRoute } from '../client/errors.ts';
import { Refusal } from '../core/contract/refusals.ts';

const SECONDS = 60;
const RENEW_MS = 15_000;

/**
 * Does something under the recovery lease of a workflow: two commands at once would submit allocations for the same jobs.
 *
 * Throws `RECOVERY_ACTIVE`, with who has the lease, if another command has it. A command that is killed loses it after a
 * minute. A server without leases, such as Torc's own, lets everybody work.
 */
export async function underLease<T>(
  client: Client,
  { workflowId, command }: { readonly workflowId: number; readonly command: string },
  act: () => Promise<T>,
): Promise<T> {
  const params = { id: workflowId };
  const token = randomUUID();
  const body = { token, holder: `torc ${command} (process ${process.pid} on ${hostname()})`, seconds: SECONDS };
  const lease = await client.takeRecoveryLease({ params, body }).catch((error: unknown) => {
    if (isUnknownRoute(error)) return undefined;
    throw error;
  });
  if (lease?.granted === false)
    throw new Refusal(
      'RECOVERY_ACTIVE',
      `workflow ${workflowId} is being recovered by ${lease.holder}; its lease ends in ${Math.ceil(lease.seconds_left)} s unless it is renewed`,
      { holder: lease.holder },
    );
  if (lease === undefined) return act();
  const renewal = setInterval(() => void client.takeRecoveryLease({ params, body }).catch(() => {}), RENEW_MS);
  renewal.unref();
  try {
    return await act();
  } finally {
    clearInterval(renewal);
    await client.releaseRecoveryLease({ params, query: { token } }).catch(() => {});
  }
}
