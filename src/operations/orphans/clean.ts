import { existsSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { exitCodesOf } from '../../core/attempt/judge.ts';
import { mayHaveSteps } from '../../core/allocation/execution-mode.ts';
import { type DeadNode, NO_ACTIVE_NODES, type Orphans } from '../../core/lifecycle/recover/orphans.ts';
import { removeMarks } from '../../runner/step/slurm/left-steps.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { completeCauses } from './complete-causes.ts';
import { askSlurmFacts, decideOrphans, gatherRecords, isAccountAway, type Records, type BatchReply } from './find.ts';
import { type CleanOptions, type OrphanedJob, settleJobs } from './settle-jobs.ts';

export interface LostAllocation {
  readonly recordId: number;
  readonly slurmJobId: SlurmJob;
}

export interface Cleaned {
  /** Jobs that failed with the allocation in which they ran. */
  readonly slurmJobsFailed: number;
  readonly pendingAllocationsCleaned: number;
  readonly activeAllocationsEnded: number;
  /** Of these, those that a failure ended before their time limit. */
  readonly lost: readonly LostAllocation[];
  /** Allocations that wait again. */
  readonly allocationsRequeued: number;
  readonly runningJobsFailed: number;
  readonly computeNodesDeactivated: number;
  /** Jobs of allocations that Slurm requeued, and those whose failure handler says so: they run again as a new attempt. */
  readonly jobsRequeued: number;
  /** Jobs that had ended, as a journal, a ledger or the accounting says; their results are stored now. */
  readonly finishedWorkKept: number;
  readonly failed: readonly OrphanedJob[];
  /** The ids of active runners and of running jobs that are gone, and the number of records of allocations that count as open. */
  readonly dead: {
    readonly runners: readonly number[];
    readonly jobs: readonly number[];
    readonly openAllocations: number;
  };
  readonly warnings: readonly string[];
  /** The programs of the batch system that were asked, and its name. */
  readonly system?: string | undefined;
  readonly replies: readonly BatchReply[];
}

const TOGETHER = 32;

/**
 * Finds what dead allocations and runners of a workflow left behind, and corrects the records.
 *
 * Before a job is failed, its end is looked for: in journals below the output folder, in the ledger of its runner, and
 * in the accounting by the name of its step. Work that was finished is kept. Every other job that ran fails with return
 * code -128 and the cause; jobs of a requeued allocation get a new attempt. What cannot be asked is left as it is.
 */
export async function cleanOrphans(client: Client, workflowId: number, options: CleanOptions): Promise<Cleaned> {
  const { isDryRun } = options;
  const { run_id: runId = 0, execution_config: execution } = await client.getWorkflow({ params: { id: workflowId } });
  let records = await gatherRecords(client, workflowId);
  const facts = await askSlurmFacts(records, options.slurm, { workflowId, outputDir: options.outputDir });
  const warnings = [...facts.faults];
  let orphans = decideOrphans(records, facts);
  let kept = 0;
  if (!isDryRun && hasJobs(orphans) && existsSync(options.outputDir)) {
    const done = await reconcile(client, { workflowId, runId: runId as number, baseDir: options.outputDir });
    kept += done.accepted;
    for (const { path, faults } of done.files) for (const fault of faults) warnings.push(`${path}: ${fault}`);
    if (done.accepted > 0) {
      records = await gatherRecords(client, workflowId);
      orphans = decideOrphans(records, facts);
    }
  }
  const codes = exitCodesOf(execution);
  const tools = { client, workflowId, runId: runId as number, records, facts, codes, ...options };
  if (isAccountAway(facts) && mayHaveSteps(execution ?? {}, true) && orphans.deadNodes.some(holdsJobs)) {
    warnings.push('the work of ended steps may be on record there: jobs of ended allocations are left as they are');
    orphans = { ...orphans, deadNodes: orphans.deadNodes.filter((node) => !holdsJobs(node)) };
  }
  const settled = await settleJobs(tools, orphans);
  const gone = [...orphans.deadNodes, ...orphans.requeuedNodes];
  const runners = gone.flatMap(({ nodeId, isActive }) => (isActive ? [nodeId] : []));
  const cleaned: Cleaned = {
    slurmJobsFailed: settled.failed.filter(({ reason }) => reason !== NO_ACTIVE_NODES).length,
    runningJobsFailed: settled.failed.filter(({ reason }) => reason === NO_ACTIVE_NODES).length,
    pendingAllocationsCleaned: orphans.gone.length,
    activeAllocationsEnded: orphans.ended.length,
    lost: orphans.lost,
    allocationsRequeued: orphans.requeued.length,
    computeNodesDeactivated: runners.length,
    jobsRequeued: settled.retried + orphans.requeuedNodes.reduce((sum, { jobIds }) => sum + jobIds.length, 0),
    finishedWorkKept: kept + settled.kept,
    failed: settled.failed,
    dead: {
      runners,
      jobs: [...gone.flatMap(({ jobIds }) => jobIds), ...orphans.abandoned],
      openAllocations:
        orphans.ended.length +
        orphans.gone.length +
        orphans.requeued.filter(({ status }) => status === 'active').length,
    },
    warnings: [...warnings, ...settled.warnings],
    system: options.slurm?.name,
    replies: facts.replies,
  };
  if (!isDryRun) {
    await updateAllocations(client, records, orphans);
    if (records.allocations.length > 0) await completeCauses(client, workflowId, options);
    // Their steps are settled.
    for (const { slurmJobId } of orphans.deadNodes) {
      const left = facts.left.get(slurmJobId ?? 0);
      if (left !== undefined) removeMarks(left);
    }
  }
  return cleaned;
}

const holdsJobs = ({ jobIds }: DeadNode) => jobIds.length > 0;
const hasJobs = ({ deadNodes, abandoned }: Orphans) => abandoned.length > 0 || deadNodes.some(holdsJobs);

async function updateAllocations(client: Client, { allocations }: Records, orphans: Orphans): Promise<void> {
  const rows = new Map(allocations.map((record) => [record.id, record]));
  const changes = [
    ...[...orphans.ended, ...orphans.gone].map(({ recordId }) => ({ recordId, status: 'complete' })),
    ...orphans.requeued.map(({ recordId }) => ({ recordId, status: 'pending' })),
  ];
  for (let at = 0; at < changes.length; at += TOGETHER)
    await Promise.all(
      changes.slice(at, at + TOGETHER).map(({ recordId, status }) => {
        const record = rows.get(recordId) as Records['allocations'][number];
        return client.updateScheduledComputeNode({ params: { id: recordId }, body: { ...record, status } });
      }),
    );
}
