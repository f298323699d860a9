import type { Client } from '../../client/client.ts';
import { openBatch } from '../../cluster/open-batch.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
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
  /** Runners that a process table proved lost. */
  readonly lostRunners: number;
}

/**
 * Corrects the records of what ended without a report, for `recover`, `watch` and `workflows sync-status`: runners of this
 * machine and of hosts by their process tables, allocations by Slurm.
 */
export async function correctRecords(tools: CorrectTools, workflowId: number): Promise<CorrectedRecords> {
  const { client, environment, outputDir, onNotice } = tools;
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const lostRunners = (await recoverHere(client, workflow, onNotice)) + (await recoverLostOnHosts(tools, workflowId));
  const options = { slurm: openBatch(environment), outputDir, isDryRun: false, nowMs: Date.now };
  return { cleaned: await cleanOrphans(client, workflowId, options), lostRunners };
}

const HOSTS_AT_ONCE = 10;

/** Asks the hosts of the workflow whether their runners live, if runners count as active that are not in Slurm. */
async function recoverLostOnHosts(tools: CorrectTools, workflowId: number): Promise<number> {
  const { client, outputDir, hosts, onNotice } = tools;
  if ((await client.listRemoteWorkers({ params: { id: workflowId } })).length === 0) return 0;
  const active = await client.listComputeNodes({ query: { workflow_id: workflowId, is_active: true, limit: 1 } });
  if (active.items.length === 0) return 0;
  const { withSsh } = await import('../remote/with-ssh.ts');
  const { recoverWorkers } = await import('../remote/worker-states.ts');
  const { workers, service } = await hosts();
  const found = await withSsh({ workflowId, outputDir, atOnce: HOSTS_AT_ONCE }, (common) =>
    recoverWorkers(workers, { ...common, service }),
  );
  for (const note of found.flatMap(({ notes }) => notes)) onNotice(note);
  return found.reduce((sum, { runners = 0 }) => sum + runners, 0);
}
