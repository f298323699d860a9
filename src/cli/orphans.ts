import { openSlurm } from '../cluster/slurm/slurm.ts';
import { recoverHere } from '../operations/begin-run.ts';
import { type Cleaned, cleanOrphans } from '../operations/orphans/clean.ts';
import type { Context } from './context.ts';

interface FindOptions {
  readonly outputDir: string;
  readonly isDryRun: boolean;
}

/**
 * The orphan detection of `recover`, `watch` and `workflows sync-status`: runners of this machine and of hosts by their
 * process tables, allocations by Slurm. `recovered` counts the runners that were proven lost by a process table.
 */
export async function findAndClean(
  context: Context,
  workflowId: number,
  { outputDir, isDryRun }: FindOptions,
): Promise<{ cleaned: Cleaned; recovered: number }> {
  const { client } = await context.service();
  const recovered = isDryRun
    ? await lostHere(context, workflowId)
    : (await recoverHere(client, await client.getWorkflow({ params: { id: workflowId } }), (news) => {
        if (news.kind === 'recovery warning') context.output.notice(news.message);
      })) + (await lostOnHosts(context, workflowId, outputDir));
  const cleaned = await cleanOrphans(client, workflowId, {
    slurm: openSlurm(context),
    outputDir,
    isDryRun,
    nowMs: Date.now,
  });
  return { cleaned, recovered };
}

async function lostHere(context: Context, workflowId: number): Promise<number> {
  const { client } = await context.service();
  const { findLostRunners } = await import('../runner/recover/lost-runners.ts');
  const { hostname } = await import('node:os');
  return (await findLostRunners({ client, workflowId, hostname: hostname() })).length;
}

/** Asks the hosts of the workflow whether their runners live, if runners count as active that are not in Slurm. */
async function lostOnHosts(context: Context, workflowId: number, outputDir: string): Promise<number> {
  const { client } = await context.service();
  const rows = await client.listRemoteWorkers({ params: { id: workflowId } });
  if (rows.length === 0) return 0;
  const nodes = await client.listComputeNodes({ query: { workflow_id: workflowId, is_active: true, limit: 1 } });
  if (nodes.items.length === 0) return 0;
  const { remoteService, storedWorkers, withSsh } = await import('./commands/remote/hosts.ts');
  const { recoverWorkers } = await import('../operations/remote/worker-states.ts');
  const workers = await storedWorkers(client, workflowId);
  const service = await remoteService(context);
  const found = await withSsh({ workflowId, outputDir, atOnce: 10 }, (common) =>
    recoverWorkers(workers, { ...common, service }),
  );
  for (const note of found.flatMap(({ notes }) => notes)) context.output.notice(note);
  return found.reduce((sum, { runners = 0 }) => sum + runners, 0);
}
