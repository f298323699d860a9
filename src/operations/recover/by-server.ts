import type { Client } from '../../client/client.ts';
import type { RecoveryPlan, RecoveryPolicy as RequestedPolicy, RecoveryRequest } from '../../core/contract/recovery.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { countOf, RECOVERABLE } from '../../core/job/statuses.ts';
import { kindOf, nextAfterRecovery } from '../../core/lifecycle/explain/place.ts';
import { REPAIRS, WHYS } from '../../core/lifecycle/recover/recovery.ts';
import {
  NOTHING_DEAD,
  recoverable,
  type Recovery,
  type RecoveryFactors,
  recoveryOf,
} from '../../core/lifecycle/recover/recovery-plan.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { underLease } from '../submit/recovery-lease.ts';
import { gatherRecovery } from './facts.ts';
import { applyRecovery, noteEnd } from './recover.ts';

/**
 * A recovery that a server plans and carries out for its page. It starts no program and looks at no files, so it submits no
 * allocations, asks no Slurm what has ended, and runs no hook: `torc recover` does.
 */

/** A plan is made of all jobs that did not end well; a command makes larger ones, in a process of its own. */
const MOST_JOBS = 10_000;
/** Jobs that are named for a cause. */
const NAMED = 5;
/** As `torc recover` has them. */
const FACTOR = 1.5;

/** What a recovery would do; changes nothing. */
export async function planForPage(client: Client, workflowId: number, asked: RequestedPolicy): Promise<RecoveryPlan> {
  return (await planned(client, workflowId, policyOf(asked))).plan;
}

/** Carries it out, under the lease of the workflow, if it is still the plan that the user has seen. */
export async function recoverForPage(
  client: Client,
  workflowId: number,
  { jobs_again: seen, ...asked }: RecoveryRequest,
): Promise<RecoveryPlan> {
  const policy = policyOf(asked);
  return underLease(client, { workflowId, command: 'recover (page)' }, async () => {
    const { plan, recovery } = await planned(client, workflowId, policy);
    const refuse = (why: string) => {
      throw new Refusal('RECOVERY_REFUSED', `workflow ${workflowId} was not recovered: ${why}`);
    };
    if (plan.needs_command) refuse(plan.needs_command);
    if (plan.jobs_again !== seen)
      refuse(`its plan has changed: ${counted(plan.jobs_again, 'job')} would run again, not ${seen}`);
    if (plan.jobs_again + recovery.uninitialized === 0) refuse('no job would run again');
    const reset = await applyRecovery(client, workflowId, recovery, async () => {
      const params = { id: workflowId };
      await client.resetStatus({ params, query: { force: false } });
      await client.initializeJobs({ params, query: { only_uninitialized: true, keep_pending_failed: true } });
    });
    await noteEnd(client, workflowId, { reset, submitted: 0, adjustments: recovery.adjustments.length });
    return plan;
  });
}

async function planned(
  client: Client,
  workflowId: number,
  policy: RecoveryFactors,
): Promise<{ readonly plan: RecoveryPlan; readonly recovery: Recovery }> {
  const { jobs_by_status: counts } = await client.getWorkflowStatus({ params: { id: workflowId } });
  const bad = countOf(counts, RECOVERABLE);
  const command = `torc recover ${workflowId}`;
  if (bad > MOST_JOBS)
    throw new Refusal(
      'RECOVERY_REFUSED',
      `${counted(bad, 'job')} did not end well, and a server plans for ${MOST_JOBS} at most: ${command} --dry-run shows the plan`,
    );
  const facts = await gatherRecovery(client, workflowId, true);
  // A server proves nothing about runners.
  const found = recoverable(facts, NOTHING_DEAD);
  if (typeof found === 'string') throw new Refusal('RECOVERY_REFUSED', found);
  const recovery = recoveryOf(facts, found, policy);
  const { plan, adjustments } = recovery;
  const again = new Set(plan.retried.map(({ why }) => why));
  return {
    recovery,
    plan: {
      workflow_id: workflowId,
      causes: WHYS.flatMap((why) => {
        const jobs = plan.byCause.get(why) ?? [];
        if (jobs.length === 0) return [];
        const first = jobs
          .slice(0, NAMED)
          .map(({ id, name, words }) => ({ job_id: id, job_name: name, detail: words }));
        const words = REPAIRS[why].did[jobs.length === 1 ? 0 : 1];
        return [{ cause: why, words, jobs: jobs.length, runs_again: again.has(why), first }];
      }),
      changes: adjustments.map(({ correction, before, after }) => ({
        resource_requirements_id: correction.requirementsId,
        name: before.name,
        jobs: correction.jobs.length,
        memory: changeOf(before.memory, after.memory),
        num_cpus: changeOf(before.num_cpus, after.num_cpus),
        runtime: changeOf(before.runtime, after.runtime),
      })),
      jobs_again: plan.retried.length,
      jobs_left: plan.left.length,
      jobs_waiting: found.waiting,
      command,
      ...(kindOf(facts.known) === 'slurm'
        ? { needs_command: 'its jobs run in allocations, which a command on the cluster submits' }
        : { next: nextAfterRecovery(facts.known) }),
    },
  };
}

function changeOf<T>(before: T | null | undefined, after: T | null | undefined) {
  const isChange = before !== after && (before ?? undefined) !== undefined && (after ?? undefined) !== undefined;
  return isChange ? { before: before as T, after: after as T } : undefined;
}

const policyOf = ({
  memory_multiplier: memory,
  runtime_multiplier: runtime,
  retry_unknown: retries,
}: RequestedPolicy | Omit<RecoveryRequest, 'jobs_again'>): RecoveryFactors => ({
  memoryMultiplier: memory ?? FACTOR,
  runtimeMultiplier: runtime ?? FACTOR,
  retriesUnknown: retries ?? false,
});
