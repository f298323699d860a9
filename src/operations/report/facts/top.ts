import { hostname } from 'node:os';
import type { Client } from '../../../client/client.ts';
import { isUnknownRoute } from '../../../client/compat/unknown-route.ts';
import { all } from '../../../client/every.ts';
import type { Job } from '../../../core/contract/job.ts';
import type { ComputeNode } from '../../../core/contract/node.ts';
import type { ResourceRequirements } from '../../../core/contract/resources.ts';
import type { FailureGroup, JobFamily } from '../../../core/contract/view.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { countOf, ENDED_BADLY, RAN } from '../../../core/job/statuses.ts';
import { type LiveUse, openLiveUses } from './live-use.ts';
import { gatherReasons, type StatusFacts } from './status-facts.ts';
import { firstPace, nextPace, type Pace } from '../../../core/lifecycle/explain/pace.ts';

/** A workflow at one moment. */
export interface TopFacts extends StatusFacts {
  readonly nowMs: number;
  readonly pace: Pace;
  /** The first running jobs. */
  readonly running: readonly Job[];
  readonly requirements: ReadonlyMap<number, ResourceRequirements>;
  readonly nodes: ReadonlyMap<number, ComputeNode>;
  /** What the jobs on this machine use, by job. */
  readonly uses: ReadonlyMap<number, LiveUse>;
  /** Why jobs failed, and how far each family is; empty with a server that does not have these routes. */
  readonly failures: readonly FailureGroup[];
  readonly families: readonly JobFamily[];
}

export interface Top {
  look(): Promise<TopFacts>;
  close(): void;
}

export interface TopOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

/** Running jobs that are read: more are on no screen. */
const MOST_RUNNING = 200;
/** Ends before the first look, from which its rate is concluded. */
const EARLIER_ENDS = 100;
/** What keeps jobs from running is asked again after this time, or when runners and allocations change: Slurm is one of those asked. */
const REASONS_MS = 15_000;

/** Failures and families are read again after a change, not more often than this: the server reads all jobs for them. */
const [PARTS_MS, PARTS_OF_MANY_MS, MANY] = [5_000, 15_000, 10_000];
type Parts = Pick<TopFacts, 'failures' | 'families'>;

/** Reads a workflow again and again. */
export function openTop({ client, workflowId: id, environment, now }: TopOptions): Top {
  const here = hostname();
  const uses = openLiveUses();
  const requirements = new Map<number, ResourceRequirements>();
  let pace: Pace | undefined;
  let reasons: Omit<StatusFacts, 'status'> | undefined;
  let reasonsFor = '';
  let reasonsMs = 0;

  let parts: Parts = { failures: [], families: [] };
  let partsFor = '';
  let partsMs = -Infinity;

  const partsOf = async (status: WorkflowStatus, nowMs: number): Promise<Parts> => {
    const key = JSON.stringify(status.jobs_by_status);
    // The last look is complete.
    const pauseMs = status.is_complete ? 0 : status.total_jobs > MANY ? PARTS_OF_MANY_MS : PARTS_MS;
    if (key === partsFor || nowMs - partsMs < pauseMs) return parts;
    parts = await gatherParts(client, status);
    partsFor = key;
    partsMs = nowMs;
    return parts;
  };

  const paceAt = async ({ jobs_by_status: counts }: WorkflowStatus, nowMs: number): Promise<Pace> =>
    pace === undefined
      ? firstPace(counts, nowMs, countOf(counts, RAN) === 0 ? [] : await endsOf(client, id))
      : nextPace(pace, counts, nowMs);

  const reasonsOf = async (status: WorkflowStatus, nowMs: number): Promise<Omit<StatusFacts, 'status'>> => {
    const key = reasonsKey(status);
    if (reasons === undefined || key !== reasonsFor || nowMs - reasonsMs >= REASONS_MS) {
      reasons = await gatherReasons(client, status, environment);
      reasonsFor = key;
      reasonsMs = nowMs;
    }
    return reasons;
  };

  return {
    async look() {
      const status = await client.getWorkflowStatus({ params: { id } });
      const nowMs = now();
      pace = await paceAt(status, nowMs);
      const query = { workflow_id: id };
      const running =
        status.jobs_by_status.running === 0
          ? []
          : (await client.listJobs({ query: { ...query, status: 'running', limit: MOST_RUNNING } })).items;
      if (running.some((job) => !requirements.has(job.resource_requirements_id ?? 0))) {
        const found = await all((page) => client.listResourceRequirements({ query: { ...query, ...page } }));
        for (const each of found) requirements.set(each.id, each);
      }
      const active =
        running.length === 0
          ? []
          : await all((page) => client.listComputeNodes({ query: { ...query, is_active: true, ...page } }));
      const nodes = new Map(active.map((node) => [node.id, node]));
      const local = running.flatMap((job) => {
        const node = nodes.get(job.compute_node_id ?? 0);
        const mark = node?.hostname === here ? node.process?.mark : undefined;
        return mark === undefined ? [] : [{ id: job.id, mark, startMs: Date.parse(job.start_time ?? '') || nowMs }];
      });
      return {
        nowMs,
        status,
        ...(await reasonsOf(status, nowMs)),
        ...(await partsOf(status, nowMs)),
        pace,
        running,
        requirements,
        nodes,
        uses: local.length === 0 ? new Map() : uses.look(local, nowMs),
      };
    },
    close: () => uses.close(),
  };
}

/** Changes with runners, allocations and whether jobs wait. */
const reasonsKey = (status: WorkflowStatus): string =>
  JSON.stringify([
    status.active_compute_nodes,
    status.active_scheduled_nodes,
    status.pending_scheduled_nodes,
    status.jobs_by_status.ready > 0,
    status.is_complete,
    status.run_id,
  ]);

async function gatherParts(
  client: Client,
  { workflow_id: id, jobs_by_status: counts }: WorkflowStatus,
): Promise<Parts> {
  const params = { id };
  try {
    const [{ groups }, { families }] = await Promise.all([
      countOf(counts, ENDED_BADLY) === 0 ? { groups: [] } : client.listFailureGroups({ params }),
      client.getWorkflowGraph({ params }),
    ]);
    return { failures: groups, families };
  } catch (error) {
    if (isUnknownRoute(error)) return { failures: [], families: [] };
    throw error;
  }
}

/** When the last jobs ended, Unix milliseconds. */
async function endsOf(client: Client, workflowId: number): Promise<number[]> {
  const query = { workflow_id: workflowId, sort_by: 'id', reverse_sort: true, limit: EARLIER_ENDS };
  return (await client.listResults({ query })).items
    .map((each) => Date.parse(each.completion_time))
    .filter((time) => !Number.isNaN(time));
}
