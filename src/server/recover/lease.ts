import type { Input } from '../../core/contract/routes.ts';
import type { RecoveryLease } from '../../core/contract/recovery.ts';
import type { Store } from '../records/store.ts';
import type { RecoverQueries } from './queries.ts';

/**
 * The lease under which one command at a time recovers a workflow or submits its allocations: two at once would both submit
 * allocations for the same jobs. It ends by itself, so a command that was killed blocks no other for long; a process that was proven to have ended
 * loses it at once.
 */
export const createLease = ({ find, now }: Store, queries: RecoverQueries) => ({
  take(workflowId: number, { token, holder, seconds, ...given }: Input<'takeRecoveryLease'>['body']): RecoveryLease {
    find.run(workflowId);
    const [process, replaced] = [textOf(given.process), textOf(given.instead_of)];
    const current = queries.lease.get({ workflowId });
    const isOthers = current !== undefined && current.token !== token && current.until_ms > now();
    if (isOthers && (current.process === null || current.process !== replaced)) {
      const left = (current.until_ms - now()) / 1000;
      const of = current.process === null ? {} : { process: JSON.parse(current.process) as RecoveryLease['process'] };
      return { granted: false, holder: current.holder, seconds_left: left, ...of };
    }
    queries.setLease.run({ workflowId, token, holder, untilMs: now() + seconds * 1000, process });
    return { granted: true, holder, seconds_left: seconds };
  },

  release(workflowId: number, token: string): { released: boolean } {
    find.run(workflowId);
    return { released: queries.dropLease.run({ workflowId, token }) > 0 };
  },
});

const textOf = (process: object | null | undefined) =>
  process === undefined || process === null ? null : JSON.stringify(process);
