import { type GpuReading, NO_GPUS } from '../../../cluster/gpu/gpu.ts';
import { readNodeFigures } from '../../../cluster/host/node-figures.ts';
import { type DetailedProcess, openDetails } from '../../../cluster/host/process-details.ts';
import type { SlurmStep } from '../../../cluster/host/slurm-groups.ts';
import type { ProcessSample } from '../../../cluster/host/proc.ts';
import type { UserNames } from '../../../cluster/host/user-names.ts';
import { dataMessage, type ProducedMessage, type Origin } from '../../format/envelope.ts';
import { attributesOfSample } from './attributes.ts';
import { isWanted, type SampleFilters } from './filters.ts';
import { sampleRecords, roundedTo } from './records.ts';
import { rollUp, type RollUpKey } from './roll-up.ts';

export interface RecorderOptions {
  readonly origin: Origin;
  /** Report the state of the node, too. */
  readonly load: boolean;
  readonly rollUp: boolean;
  readonly filters: SampleFilters;
  /** The epoch of this boot, from its time in Unix seconds. */
  readonly epochOf: (bootedAt: number) => number;
  readonly userNames: UserNames;
  readonly readGpus: () => Promise<GpuReading>;
  /** Ids for rolled-up records; without it they have none. */
  readonly pidOf?: ((key: RollUpKey) => number) | undefined;
  /** It gets only some of the node's processes, and reports no others. */
  readonly isPartial?: boolean | undefined;
  /** The Slurm job of processes whose control group names none. */
  readonly slurm?: SlurmStep | undefined;
  /** /proc, or a folder with the same layout. */
  readonly root?: string | undefined;
}

/** A sample with what it was made of. */
interface Recorded {
  readonly message: ProducedMessage;
  readonly processes: readonly DetailedProcess[];
  readonly epoch: number;
}

/** Makes samples of processes that its caller read: the daemon all of a node, a runner those of its jobs. */
export interface Recorder {
  /** Remembers what the processes used so far, so that the next sample knows what they used since. */
  prepare(processes: readonly ProcessSample[]): void;
  take(read: () => readonly ProcessSample[]): Promise<Recorded>;
  close(): void;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { origin, filters, root = '/proc', userNames, slurm, isPartial } = options;
  const details = openDetails(root);
  let before: Uses | undefined;

  return {
    prepare(processes) {
      before = usesOf(processes);
    },
    async take(read) {
      // The slow tools first: then the figures of processes and node are of one moment.
      const gpus = await options.readGpus().catch((error: unknown) => failedGpus(error));
      const atMs = Date.now();
      const processes = read();
      const uses = usesOf(processes);
      const found = details.of(processes);
      const detailed =
        slurm === undefined ? found : found.map((each) => (each.slurm === undefined ? { ...each, slurm } : each));
      const figures = readNodeFigures(root);
      const utilOf = utilSince(before, uses);
      before = uses;
      await userNames.learn(detailed.flatMap(({ userId }) => (userId === undefined ? [] : [userId])));
      const { bootedAt, uptimeSeconds = 0, memoryBytes, problems } = figures;
      const cpus = figures.cpuSeconds?.length || undefined;
      const { nameOf } = userNames;
      const all = sampleRecords(detailed, { uptimeSeconds, cpus, utilOf, nameOf, gpuUses: gpus.uses, isPartial });
      const records = (options.rollUp ? rollUp(all, options.pidOf) : all).filter((record) =>
        isWanted(record, filters, memoryBytes),
      );
      const epoch = options.epochOf(bootedAt ?? Math.floor(atMs / 1000 - uptimeSeconds));
      const attributes = attributesOfSample({
        origin,
        atMs,
        epoch,
        records,
        node: options.load ? { figures, gpus: gpus.states } : undefined,
        problems: [...problems, ...gpus.problems],
      });
      return { message: dataMessage('sample', origin, atMs, attributes), processes: detailed, epoch };
    },
    close: () => details.close(),
  };
}

/** Processor time of each process at a moment of the monotonic clock. */
interface Uses {
  readonly atMs: number;
  readonly seconds: ReadonlyMap<number, { readonly startTicks: number; readonly seconds: number }>;
}

const usesOf = (processes: readonly ProcessSample[]): Uses => ({
  atMs: performance.now(),
  seconds: new Map(
    processes.map((each) => [
      each.pid,
      { startTicks: each.startTicks, seconds: each.cpuSeconds + each.waitedCpuSeconds },
    ]),
  ),
});

const utilSince = (before: Uses | undefined, now: Uses) => {
  const elapsed = before === undefined ? 0 : (now.atMs - before.atMs) / 1000;
  return ({ pid, startTicks, cpuSeconds, waitedCpuSeconds }: DetailedProcess): number | undefined => {
    const earlier = before?.seconds.get(pid);
    if (elapsed <= 0 || earlier === undefined || earlier.startTicks !== startTicks) return undefined;
    const used = Math.max(0, cpuSeconds + waitedCpuSeconds - earlier.seconds);
    return roundedTo((used / elapsed) * 100, 1000);
  };
};

const failedGpus = (error: unknown): GpuReading => ({
  ...NO_GPUS,
  problems: [`the cards cannot be read: ${(error as Error).message}`],
});
