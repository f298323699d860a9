import type { Client } from '../../../client/client.ts';
import { knownWorkflow } from '../../../client/compat/known.ts';
import { isLostHere } from '../../../cluster/host/lost-here.ts';
import type { ScheduledComputeNode } from '../../../core/contract/allocation.ts';
import type { WorkflowAction } from '../../../core/contract/scheduling.ts';
import type { Unclaimable } from '../../../core/contract/unclaimable.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { countOf, ENDED, UNCLAIMED, UNDER_WAY } from '../../../core/job/statuses.ts';
import { anywhere, type RunPlace } from '../../../core/lifecycle/explain/next-command.ts';
import { placeOf } from '../../../core/lifecycle/explain/place.ts';
import { marksOfRunners, waitsHere } from '../../../cluster/share/holders.ts';
import { partlyIdle, type PartlyIdle } from './idle-nodes.ts';
import { type Imported, importedResults } from './imported.ts';
import { type QueuedAllocation, queuedAllocations } from '../../submit/queued-allocations.ts';
import { unbegunAllocations, type UnbegunAllocation } from '../../submit/unbegun-allocations.ts';

/** The runners of a workflow that are registered as active. */
interface Runners {
  /** How many of them may still work. */
  readonly live: number;
  /** Ids of those that have ended without reporting it: killed runners of this host, as its process table proves. */
  readonly lost: readonly number[];
}

/** The status of a workflow, and what keeps its jobs from running. */
export interface StatusFacts {
  readonly status: WorkflowStatus;
  /** Ready jobs that no runner can take; undefined if no job is ready, or from a server without this route. */
  readonly unclaimable: Unclaimable | undefined;
  /** Actions whose runner was lost while their commands ran. */
  readonly interrupted: readonly WorkflowAction[];
  readonly place: RunPlace;
  readonly runners: Runners;
  /** Allocations with nodes on which no runner starts jobs. */
  readonly idle: readonly PartlyIdle[];
  /** Allocations that Slurm has not started. */
  readonly queued: readonly QueuedAllocation[];
  /** The newest allocations, if each of them ended before a runner began. */
  readonly unbegun: readonly UnbegunAllocation[];
  /** Allocations that are planned and not submitted. */
  readonly unsubmitted: readonly ScheduledComputeNode[];
  /** Why standalone runs of it on this machine wait for other runs. */
  readonly waits: readonly string[];
  /** Attempts of the run after which the job was tried again. */
  readonly retries: number;
  /** The results of an imported workflow of which nothing has run here. */
  readonly imported: Imported | undefined;
}

/**
 * Reads the status of a workflow, and what keeps its jobs from running. Each part is read only if the counts say that it can
 * exist; what a server of Torc does not have is left out.
 */
export async function gatherStatus(
  client: Client,
  id: number,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<StatusFacts> {
  const status = await client.getWorkflowStatus({ params: { id } });
  return { status, ...(await gatherReasons(client, status, environment)) };
}

/** The same for a status that is known. */
export async function gatherReasons(
  client: Client,
  status: WorkflowStatus,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Omit<StatusFacts, 'status'>> {
  const { workflow_id: id } = status;
  const known = await knownWorkflow(client, id).catch(() => undefined);
  const { runners = [], allocations = [], actions = [], workflow } = known ?? {};
  const lost = runners.flatMap((node) => (isLostHere(node, workflow?.execution_config) ? [node.id] : []));
  return {
    unclaimable:
      status.jobs_by_status.ready === 0
        ? undefined
        : await client.getUnclaimableJobs({ params: { id }, query: {} }).catch(() => undefined),
    interrupted: actions.filter(({ state }) => state === 'interrupted'),
    place: known === undefined ? anywhere(id) : placeOf(known),
    // A silent runner of another host counts as live: it cannot be known here.
    runners: { live: Math.max(0, status.active_compute_nodes - lost.length), lost },
    idle: status.is_complete ? [] : partlyIdle(runners),
    queued: await queuedAllocations(allocations, environment).catch(() => []),
    unbegun: isStalled(status) ? await unbegunAllocations(client, id, { environment }).catch(() => []) : [],
    unsubmitted: status.is_complete
      ? []
      : allocations.filter(({ status: is }) => is === 'planned' || is === 'submitting'),
    waits: status.is_complete ? [] : waitsHere(environment, marksOfRunners(runners)),
    retries: await retriesOf(client, status).catch(() => 0),
    imported: await importedResults(client, { ...status, id, run_id: status.run_id ?? 0 }).catch(() => undefined),
  };
}

/** Jobs wait, and no runner is there: then the newest allocations say why. */
const isStalled = ({ jobs_by_status: jobs, active_compute_nodes: runners }: WorkflowStatus): boolean =>
  countOf(jobs, UNCLAIMED) > 0 && runners === 0;

/** The results of the run that are not the last ones of their jobs. */
async function retriesOf(
  client: Client,
  { workflow_id, run_id, jobs_by_status: jobs }: WorkflowStatus,
): Promise<number> {
  if (countOf(jobs, ENDED, UNDER_WAY) === 0 || run_id === undefined || run_id === null) return 0;
  const query = { workflow_id, run_id, limit: 1 };
  const all = await client.listResults({ query: { ...query, all_runs: true } });
  const last = await client.listResults({ query });
  return Math.max(0, all.total_count - last.total_count);
}
