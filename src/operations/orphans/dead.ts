import { hostname } from 'node:os';
import { all } from '../../client/every.ts';
import { openBatch } from '../../cluster/open-batch.ts';
import type { Dead } from '../../core/lifecycle/recover/recovery-plan.ts';
import { type Cleaned, cleanOrphans } from './clean.ts';
import type { CorrectTools } from './correct-records.ts';

/** What a correction of records would find, without a change. */
export interface FoundDead {
  readonly cleaned: Cleaned;
  /** Runners that a process table proves lost, beside those of allocations that have ended. */
  readonly lostRunners: number;
  readonly dead: Dead;
}

/**
 * Looks for what ended without a report, and changes nothing. With `asksHosts`, the hosts of the workflow are asked how their runners
 * are; runners of hosts on which none may be alive count as lost then.
 */
export async function findDead(
  tools: CorrectTools,
  workflowId: number,
  { asksHosts }: { readonly asksHosts: boolean },
): Promise<FoundDead> {
  const { client, environment, outputDir } = tools;
  const slurm = openBatch(environment);
  const options = { slurm, outputDir, isDryRun: true, nowMs: Date.now };
  const cleaned = await cleanOrphans(client, workflowId, options);
  const inSlurm = new Set(cleaned.dead.runners);
  const lost = new Set([
    ...(await lostHere(tools, workflowId)),
    ...(asksHosts ? await lostOnHosts(tools, workflowId) : []),
  ]).difference(inSlurm);
  const running = await all((page) =>
    client.listJobs({ query: { workflow_id: workflowId, status: 'running', ...page } }),
  );
  const held = running.flatMap(({ id, compute_node_id: runner }) => (lost.has(runner ?? 0) ? [id] : []));
  const jobs = new Set([...cleaned.dead.jobs, ...held]).size;
  return {
    cleaned,
    lostRunners: lost.size,
    dead: {
      allocations: cleaned.dead.openAllocations,
      requeued: 0,
      runners: inSlurm.size + lost.size,
      jobs,
      isCorrected: jobs + lost.size > 0,
    },
  };
}

async function lostHere({ client }: CorrectTools, workflowId: number): Promise<readonly number[]> {
  const { findLostRunners } = await import('../../runner/recover/lost-runners.ts');
  return findLostRunners({ client, workflowId, hostname: hostname() });
}

const HOSTS_AT_ONCE = 10;
const OVER: ReadonlySet<string> = new Set(['ended', 'gone', 'none']);

/** The active runners on other machines, if none of the hosts of the workflow may have a live one: a host that does not answer may. */
async function lostOnHosts({ client, outputDir, hosts }: CorrectTools, workflowId: number): Promise<readonly number[]> {
  if ((await client.listRemoteWorkers({ params: { id: workflowId } })).length === 0) return [];
  const query = { workflow_id: workflowId, is_active: true };
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
  const elsewhere = nodes.flatMap(({ id, hostname: host, compute_node_type: type }) =>
    host !== hostname() && type !== 'slurm' ? [id] : [],
  );
  if (elsewhere.length === 0) return [];
  const { withSsh } = await import('../remote/with-ssh.ts');
  const { workerStates } = await import('../remote/worker-states.ts');
  const { workers } = await hosts();
  const states = await withSsh({ workflowId, outputDir, atOnce: HOSTS_AT_ONCE }, (common) =>
    workerStates(workers, common),
  );
  return states.every(({ is }) => OVER.has(is)) ? elsewhere : [];
}
