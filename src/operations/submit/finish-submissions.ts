import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { underLease } from './recovery-lease.ts';
import { openDrafts } from './drafts.ts';
import { finishBegun } from './finish-begun.ts';
import { openLimits } from './queue-limits.ts';
import { change, type Finished, type Run } from './submission-run.ts';
import { submitGroup } from './submit-group.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';

/** The allocations of a workflow that are planned, and those whose job in Slurm is not known. */
export async function unfinishedAllocations(client: Client, workflowId: number): Promise<AllocationRecord[]> {
  const of = (status: string) =>
    all((page) => client.listScheduledComputeNodes({ query: { workflow_id: workflowId, status, ...page } }));
  return [...(await of('submitting')), ...(await of('planned'))] as AllocationRecord[];
}

interface Wanted {
  /** Only these records; without it all of the workflow. */
  readonly ids?: ReadonlySet<number>;
  /** This process has just created them, so Slurm has none of them. */
  readonly areNew?: boolean;
  /** Waits for another command that submits; otherwise `RECOVERY_ACTIVE` is thrown. */
  readonly waits?: boolean;
}

/**
 * Submits the allocations that are planned for a workflow, and finishes what a killed process began: a job that carries the
 * token of a record is taken, and every other is submitted.
 *
 * One command at a time does this. Throws if squeue cannot say which jobs exist, or if Slurm cannot be reached: then the
 * records stay as they are, and the next call goes on.
 */
export async function finishSubmissions(
  tools: SubmitTools,
  workflowId: number,
  { ids, areNew = false, waits = true }: Wanted = {},
): Promise<Finished> {
  const { client, command = 'submit', onWarning } = tools;
  const find = async () =>
    (await unfinishedAllocations(client, workflowId)).filter(({ id }) => ids === undefined || ids.has(id));
  const nothing: Finished = { jobIds: [], refused: [], held: 0 };
  if ((await find()).length === 0) return nothing;
  return underLease(client, { workflowId, command, onWait: waits ? onWarning : undefined }, async () => {
    const records = await find();
    const run: Run = {
      tools,
      workflowId,
      drafts: await openDrafts(tools, workflowId),
      limits: openLimits(tools, workflowId),
      areNew,
      finished: nothing,
      arrayRefusal: undefined,
      heldBy: undefined,
    };
    const begun = records.filter(isBegun);
    await finishBegun(run, begun);
    // Tasks of an array that Slurm refused are planned again.
    const planned = (begun.length === 0 ? records : await find()).filter((each) => !isBegun(each));
    const isOver = planned.some(({ held }) => held) && (await hasEnded(client, workflowId));
    for (const group of Map.groupBy(planned, keyOf).values()) {
      if (isOver) await change(run, group, { from: 'planned', status: 'canceled' });
      else await submitGroup(run, group);
    }
    return run.finished;
  });
}

const isBegun = ({ status }: AllocationRecord) => status === 'submitting';

/** Allocations with the same key are equal. */
const keyOf = ({ scheduler_config_id: scheduler, plan }: AllocationRecord) => `${scheduler} ${JSON.stringify(plan)}`;

async function hasEnded(client: Client, workflowId: number): Promise<boolean> {
  const {
    is_complete: isComplete,
    is_canceled: isCanceled,
    total_jobs: jobs,
  } = await client.getWorkflowStatus({
    params: { id: workflowId },
  });
  return isCanceled || (isComplete && jobs > 0);
}
