import type { BatchQueue } from '../../cluster/batch/batch-system.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { couldNotStart } from '../../core/lifecycle/explain/queue-reason.ts';
import type { QueuedAllocation } from '../submit/queued-allocations.ts';
import { stuckAllocations } from '../report/views/queue-lines.ts';
import type { WatchTools } from './tools.ts';

interface QueueOptions {
  readonly batch: Pick<BatchQueue, 'release' | 'cancel'>;
  readonly recovers: boolean;
  readonly report: WatchTools['report'];
}

/**
 * What a watch does about the allocations in the queue, at each of its looks: it reports those that do not wait as most do, once each.
 *
 * Where it recovers, it releases an allocation that Slurm could not start and holds. Most such failures are those of a moment or of a
 * node: a controller that died in the second of the start, a prolog. One that is held again is canceled, so that another takes its
 * place: what an allocation meets twice its script brings about. One that a person or an administrator holds stays as it is.
 */
export function watchQueue({ batch, recovers, report }: QueueOptions) {
  const reported = new Set<string>();
  const released = new Set<SlurmJob>();

  const startAgain = async (job: SlurmJob): Promise<void> => {
    if (released.has(job)) {
      await batch.cancel(job);
      report('warn', `Allocation ${job} is canceled: it could not be started, twice`);
      return;
    }
    await batch.release(job);
    released.add(job);
    report('warn', `Allocation ${job} is released: it could not be started, and was held`);
  };

  return async (queued: readonly QueuedAllocation[]): Promise<void> => {
    const left: QueuedAllocation[] = [];
    for (const each of queued) {
      const isStarted =
        recovers &&
        couldNotStart(each.reason ?? '') &&
        (await startAgain(each.slurmJobId).then(
          () => true,
          // What it may not do is reported with the command.
          () => false,
        ));
      if (!isStarted) left.push(each);
    }
    for (const { key, line } of stuckAllocations(left)) {
      if (!reported.has(key)) report('warn', line);
      reported.add(key);
    }
  };
}
