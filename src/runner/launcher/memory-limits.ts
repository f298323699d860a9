import type { StepId } from '../../core/contract/files/job.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Log } from '../facts/log.ts';
import { guardAllocationMemory } from '../observe/allocation-memory.ts';
import { memoryLimitOf } from '../observe/memory-limit.ts';
import { SPARSE_AGES_MS } from '../observe/sample-times.ts';
import { createWatch } from '../observe/watch.ts';
import type { RestOfRun } from '../step/batch/protocol.ts';
import type { Steps } from '../step/steps.ts';

/** Slurm enforces memory every second at the soonest. */
const LIMIT_SECONDS = 1;

export interface MemoryLimitsOptions {
  readonly steps: Pick<Steps, 'observe' | 'kill'>;
  /** What the allocation has on this node; undefined if that is not known. */
  readonly limitBytes: number | undefined;
  readonly beside: RestOfRun;
  readonly log: Log;
}

export type MemoryLimits = ReturnType<typeof createMemoryLimits>;

/** Kills jobs that exceed their memory, and the one that exceeds it most when the allocation has none left. */
export function createMemoryLimits({ steps, limitBytes, beside, log }: MemoryLimitsOptions) {
  const needs = new Map<StepId, number>();
  const killed = new Set<StepId>();
  const kill = (id: StepId) => {
    killed.add(id);
    steps.kill(id);
  };
  const watch = createWatch({
    intervalSeconds: LIMIT_SECONDS,
    observe: steps.observe,
    limitOf: (job) =>
      beside.share?.enforcesMemory === false ? undefined : memoryLimitOf(job, beside.defaultRequirementsId),
    agesMs: SPARSE_AGES_MS,
  });
  watch.onViolation(({ id, job, memoryBytes, limitBytes: most }) => {
    log.write('warn', 'OOM violation detected:', { job_id: job.id, memory_bytes: memoryBytes, limit_bytes: most });
    kill(id);
  });
  const guard =
    limitBytes === undefined
      ? undefined
      : guardAllocationMemory({
          limitBytes,
          needs: () => needs,
          observe: steps.observe,
          kill,
          ownBytes: () => process.memoryUsage.rss() + beside.bytes,
          log,
        });
  return {
    begin(id: StepId, job: ClaimedJob) {
      needs.set(id, job.need.memory_bytes);
      watch.begin(id, job);
    },
    /** The largest memory that was seen, and whether a limit ended the job. */
    end(id: StepId) {
      const peakBytes = watch.end(id)?.peakMemoryBytes ?? 0;
      needs.delete(id);
      return { peakBytes, isKilled: killed.delete(id) };
    },
    close() {
      watch.close();
      guard?.close();
    },
  };
}
