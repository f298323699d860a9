import type { Input } from '../../core/contract/routes.ts';
import type { RecoveryLease } from '../../core/contract/recovery.ts';
import type { Store } from '../records/store.ts';
import type { RecoverQueries } from './queries.ts';

/**
 * The lease under which one command at a time recovers a workflow: two at once would both submit allocations for the same
 * jobs. It ends by itself, so a command that was killed blocks nobody for long.
 */
export const createLease = ({ find, now }: Store, queries: RecoverQueries) => ({
  take(workflowId: number, { token, holder, seconds }: Input<'takeRecoveryLease'>['body']): RecoveryLease {
    find.run(workflowId);
    const current = queries.lease.get({ workflowId });
    if (current !== undefined && current.token !== token && current.until_ms > now())
      return { granted: false, holder: current.holder, seconds_left: (current.until_ms - now()) / 1000 };
    queries.setLease.run({ workflowId, token, holder, untilMs: now() + seconds * 1000 });
    return { granted: true, holder, seconds_left: seconds };
  },

  release(workflowId: number, token: string): { released: boolean } {
    find.run(workflowId);
    return { released: queries.dropLease.run({ workflowId, token }) > 0 };
  },
});
