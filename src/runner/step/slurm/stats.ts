import type { Client } from '../../../client/client.ts';
import type { AccountedStep } from '../../../cluster/slurm/sacct.ts';
import type { SlurmFigures } from '../../../core/contract/allocation.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { Log } from '../../facts/log.ts';
import type { RunFacts } from '../../facts/run-facts.ts';
import type { Late } from './accounting.ts';
import type { Result } from '../../../core/contract/result.ts';

export interface StatsReportOptions {
  readonly client: Pick<Client, 'createSlurmStats' | 'listResults' | 'updateResult'>;
  readonly facts: Pick<RunFacts, 'workflowId' | 'runId'>;
  readonly slurmJobId: string;
  readonly log: Log;
}

interface Missing {
  readonly job: ClaimedJob;
  readonly row: AccountedStep;
}

/** Requests at once: many steps end together. */
const AT_ONCE = 4;

/** Stores what the accounting has about steps whose results were reported before it was known, and adds it to these. */
export function createStatsReport({ client, facts, slurmJobId, log }: StatsReportOptions) {
  const { workflowId, runId } = facts;
  const queue: (() => Promise<void>)[] = [];
  const active = new Set<Promise<void>>();
  const following = new Set<Promise<void>>();
  /** Rows for results that may not be reported yet: the server knows them when the runner ends. */
  const missing: Missing[] = [];

  const run = () => {
    while (active.size < AT_ONCE && queue.length > 0) {
      const next = (queue.shift() as () => Promise<void>)().catch((error: unknown) =>
        log.write('warn', 'Accounting data of a step could not be stored', { reason: (error as Error).message }),
      );
      active.add(next);
      void next.finally(() => {
        active.delete(next);
        run();
      });
    }
  };

  const store = async ({ id, attempt_id: attempt }: ClaimedJob, row: AccountedStep | undefined): Promise<void> => {
    await client.createSlurmStats({
      body: {
        workflow_id: workflowId,
        job_id: id,
        run_id: runId,
        attempt_id: attempt,
        ...figuresOf(row),
      },
    });
  };

  const figuresOf = (row: AccountedStep | undefined): SlurmFigures => ({
    slurm_job_id: slurmJobId,
    max_rss_bytes: row?.maxRssBytes,
    max_vm_size_bytes: row?.maxVmSizeBytes,
    max_disk_read_bytes: row?.maxDiskReadBytes,
    max_disk_write_bytes: row?.maxDiskWriteBytes,
    ave_cpu_seconds: row?.aveCpuSeconds,
    node_list: row?.nodeList,
  });

  const complete = async ({ job, row }: Missing): Promise<void> => {
    const query = { workflow_id: workflowId, job_id: job.id, run_id: runId, all_runs: true };
    const { items } = await client.listResults({ query });
    const result = items.find(({ attempt_id: attempt }) => attempt === job.attempt_id);
    if (result === undefined) return;
    const figures = backFill(result, row);
    if (Object.keys(figures).length === 0) return;
    await client.updateResult({ params: { id: result.id }, body: { ...result, ...figures } });
  };

  return {
    /** For a result that is not reported yet. */
    of: figuresOf,
    follow(job: ClaimedJob, later: Promise<Late>) {
      const followed = later.then(({ row, wasMissing }) => {
        queue.push(() => store(job, row));
        if (wasMissing && row !== undefined) missing.push({ job, row });
        run();
      });
      following.add(followed);
      void followed.finally(() => following.delete(followed));
    },
    /** Waits until everything is stored. The server knows all results. */
    async finish() {
      await Promise.all(following);
      for (const each of missing.splice(0)) queue.push(() => complete(each));
      run();
      while (active.size > 0) await Promise.all(active);
    },
  };
}

type Figures = Pick<
  Result,
  'exec_time_minutes' | 'peak_memory_bytes' | 'peak_cpu_percent' | 'avg_cpu_percent' | 'peak_gpu_memory_bytes'
>;

/**
 * The figures of a result that the accounting changes; empty if it changes none.
 *
 * The peak of memory is the higher one. The mean of CPU is that of the accounting, and it is the peak as well where none was
 * seen. A 0 of the accounting says that nothing was measured, and changes nothing.
 */
export function backFill(result: Figures, row: AccountedStep): Partial<Figures> {
  const { maxRssBytes: rss = 0, aveCpuSeconds: cpu = 0, peakGpuBytes: gpu = 0 } = row;
  const seconds = result.exec_time_minutes * 60;
  const percent = cpu > 0 && seconds > 0 ? (cpu / seconds) * 100 : undefined;
  return {
    ...(rss > (result.peak_memory_bytes ?? 0) ? { peak_memory_bytes: rss } : {}),
    ...(gpu > (result.peak_gpu_memory_bytes ?? 0) ? { peak_gpu_memory_bytes: gpu } : {}),
    ...(percent === undefined ? {} : { avg_cpu_percent: percent }),
    ...(percent === undefined || (result.peak_cpu_percent ?? 0) > 0 ? {} : { peak_cpu_percent: percent }),
  };
}
