import { hostname } from 'node:os';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { openBatch } from '../../cluster/open-batch.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
import type { Dead } from '../../core/lifecycle/recover/recovery-plan.ts';
import type { HostsOptions } from '../remote/worker-states.ts';
import type { RemoteService } from '../remote/service.ts';
import { type Cleaned, cleanOrphans } from './clean.ts';
import { recoverHere } from './recover-here.ts';

/** What a correction of records uses beside the service. */
export interface CorrectTools {
  readonly client: Client;
  /** Where the programs of Slurm are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where journals of runners are. */
  readonly outputDir: string;
  /** The hosts of the workflow, and how they reach the service; called only if one of their runners counts as active. */
  readonly hosts: () => Promise<{ readonly workers: readonly Worker[]; readonly service: RemoteService }>;
  /** Called with what a process table or a host says about a lost runner. */
  readonly onNotice: (message: string) => void;
}

export interface CorrectedRecords {
  readonly cleaned: Cleaned;
  /** Runners that a process table proved lost, beside those of allocations that have ended. */
  readonly lostRunners: number;
}

/** What a correction of records would find, without a change. */
interface FoundDead extends CorrectedRecords {
  readonly dead: Dead;
}

/**
 * Corrects the records of what ended without a report, for `recover`, `watch` and `workflows sync-status`: runners of this
 * machine and of hosts by their process tables, allocations by Slurm.
 */
export async function correctRecords(tools: CorrectTools, workflowId: number): Promise<CorrectedRecords> {
  const { client, onNotice } = tools;
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const lostRunners = (await recoverHere(client, workflow, onNotice)) + (await recoverLostOnHosts(tools, workflowId));
  return { cleaned: await clean(tools, workflowId, false), lostRunners };
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
  const { client } = tools;
  const cleaned = await clean(tools, workflowId, true);
  const inSlurm = new Set(cleaned.dead.runners);
  const { findLostRunners } = await import('../../runner/recover/lost-runners.ts');
  const lost = new Set([
    ...(await findLostRunners({ client, workflowId, hostname: hostname() })),
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

const clean = ({ client, environment, outputDir }: CorrectTools, workflowId: number, isDryRun: boolean) =>
  cleanOrphans(client, workflowId, { slurm: openBatch(environment), outputDir, isDryRun, nowMs: Date.now });

/** Asks the hosts of the workflow whether their runners live, if runners count as active. */
async function recoverLostOnHosts(tools: CorrectTools, workflowId: number): Promise<number> {
  if ((await activeWithHosts(tools, workflowId)).length === 0) return 0;
  const { recoverWorkers } = await import('../remote/worker-states.ts');
  const { workers, service } = await tools.hosts();
  const found = await overSsh(tools, workflowId, (common) => recoverWorkers(workers, { ...common, service }));
  for (const note of found.flatMap(({ notes }) => notes)) tools.onNotice(note);
  return found.reduce((sum, { runners = 0 }) => sum + runners, 0);
}

const OVER: ReadonlySet<string> = new Set(['ended', 'gone', 'none']);

/** The active runners on other machines, if none of the hosts of the workflow may have a live one: a host that does not answer may. */
async function lostOnHosts(tools: CorrectTools, workflowId: number): Promise<readonly number[]> {
  const elsewhere = (await activeWithHosts(tools, workflowId)).flatMap(
    ({ id, hostname: host, compute_node_type: type }) => (host !== hostname() && type !== 'slurm' ? [id] : []),
  );
  if (elsewhere.length === 0) return [];
  const { workerStates } = await import('../remote/worker-states.ts');
  const { workers } = await tools.hosts();
  const states = await overSsh(tools, workflowId, (common) => workerStates(workers, common));
  return states.every(({ is }) => OVER.has(is)) ? elsewhere : [];
}

/** The active runners of a workflow that has hosts. */
async function activeWithHosts({ client }: CorrectTools, workflowId: number) {
  if ((await client.listRemoteWorkers({ params: { id: workflowId } })).length === 0) return [];
  const query = { workflow_id: workflowId, is_active: true };
  return all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
}

const HOSTS_AT_ONCE = 10;

async function overSsh<T>(
  { outputDir }: CorrectTools,
  workflowId: number,
  ask: (common: HostsOptions) => Promise<T>,
): Promise<T> {
  const { withSsh } = await import('../remote/with-ssh.ts');
  return withSsh({ workflowId, outputDir, atOnce: HOSTS_AT_ONCE }, ask);
}
