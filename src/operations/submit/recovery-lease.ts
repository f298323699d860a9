import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '../../client/client.ts';
import { withSubstitute } from '../../client/compat/unknown-route.ts';
import { ServiceError } from '../../client/errors.ts';
import { pause } from '../../client/long-timers.ts';
import { ownIdentity, proofOfEnd } from '../../cluster/host/facts.ts';
import type { RecoveryLease } from '../../core/contract/recovery.ts';
import { Refusal } from '../../core/contract/refusals.ts';

const SECONDS = 60;
const RENEW_MS = 15_000;
/** How often a command that waits for the lease asks for it. */
const ASK_MS = 500;

interface LeaseOptions {
  readonly workflowId: number;
  readonly command: string;
  /** Waits for a lease that another command has; called once, with who that is. Without it the lease is refused. */
  readonly onWait?: ((words: string) => void) | undefined;
}

interface Held {
  readonly client: Client;
  readonly workflowId: number;
  /** The server has no leases: others may do the same now. */
  readonly isShared: boolean;
  confirm(): Promise<void>;
}

const held = new AsyncLocalStorage<Held>();

/**
 * Does something under the lease of a workflow: two commands at once would submit allocations for the same jobs.
 *
 * Throws `RECOVERY_ACTIVE`, with who has the lease, if another command has it. A command that is killed loses it after a
 * minute, or at once where its process is proven to have ended. What already happens under the lease goes on. A server
 * without leases, such as Torc's own, lets everybody work.
 */
export async function underLease<T>(
  client: Client,
  { workflowId, command, onWait }: LeaseOptions,
  act: () => Promise<T>,
): Promise<T> {
  const now = held.getStore();
  if (now?.client === client && now.workflowId === workflowId) return act();
  const params = { id: workflowId };
  const token = randomUUID();
  const holder = `torc ${command} (process ${process.pid} on ${hostname()})`;
  const body = { token, holder, seconds: SECONDS, process: ownIdentity() as RecoveryLease['process'] };
  const take = async (): Promise<RecoveryLease | undefined> => {
    const taken: Promise<RecoveryLease | undefined> = client.takeRecoveryLease({ params, body });
    const lease = await withSubstitute(taken, async () => undefined);
    if (lease?.granted !== false || !hasEnded(lease)) return lease;
    return client.takeRecoveryLease({ params, body: { ...body, instead_of: lease.process } });
  };
  let lease = await take();
  if (lease?.granted === false && onWait !== undefined) {
    onWait(`${whoHas(workflowId, lease)}; waiting`);
    for (; lease?.granted === false; lease = await take()) await pause(ASK_MS);
  }
  if (lease?.granted === false) throw refusalOf(workflowId, lease);
  const isShared = lease === undefined;
  const confirm = async () => {
    const again = isShared ? undefined : await client.takeRecoveryLease({ params, body });
    if (again?.granted === false) throw refusalOf(workflowId, again);
  };
  const renewal = isShared ? undefined : setInterval(() => void confirm().catch(() => {}), RENEW_MS).unref();
  try {
    return await held.run({ client, workflowId, isShared, confirm }, act);
  } finally {
    clearInterval(renewal);
    if (!isShared) await client.releaseRecoveryLease({ params, query: { token } }).catch(() => {});
  }
}

/** Whether another command has the lease. A user who may only read the workflow may not ask: the answer is no. */
export async function isLeaseTaken(client: Client, workflowId: number, command: string): Promise<boolean> {
  try {
    await underLease(client, { workflowId, command }, async () => undefined);
    return false;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RECOVERY_ACTIVE') return true;
    if (error instanceof ServiceError && error.status === 403) return false;
    throw error;
  }
}

/** Throws `RECOVERY_ACTIVE` if another command took the lease meanwhile: this process was suspended for a minute. */
export const confirmLease = async (): Promise<void> => held.getStore()?.confirm();

/** Whether no other process may do the same now: not where the server has no leases. */
export const isUnderLease = (): boolean => held.getStore()?.isShared === false;

const hasEnded = ({ process: other }: RecoveryLease): boolean =>
  other !== undefined && ['gone', 'rebooted'].includes(proofOfEnd(other));

const refusalOf = (workflowId: number, lease: RecoveryLease): Refusal =>
  new Refusal(
    'RECOVERY_ACTIVE',
    `${whoHas(workflowId, lease)}; its lease ends in ${Math.ceil(lease.seconds_left)} s unless it is renewed`,
    { holder: lease.holder },
  );

const whoHas = (workflowId: number, { holder }: RecoveryLease): string =>
  /^torc (recover|watch|slurm regenerate) /.test(holder)
    ? `workflow ${workflowId} is being recovered by ${holder}`
    : `allocations of workflow ${workflowId} are being submitted by ${holder}`;
