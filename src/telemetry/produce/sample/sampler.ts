import { type GpuReading, NO_GPUS } from '../../../cluster/gpu/gpu.ts';
import { readNodeFigures } from '../../../cluster/host/node-figures.ts';
import { type DetailedProcess, openDetails } from '../../../cluster/host/process-details.ts';
import { openProcessTable, type ProcessSample } from '../../../cluster/host/proc.ts';
import type { UserNames } from '../../../cluster/host/user-names.ts';
import { dataMessage, errorMessage, type Message, type Origin } from '../envelope.ts';
import { sampleAttributes } from './attributes.ts';
import { isWanted, type SampleFilters } from './filters.ts';
import { recordsOf, rounded } from './records.ts';
import { createRollUpIds, rollUp } from './roll-up.ts';

export interface SamplerOptions {
  readonly origin: Origin;
  /** Tell the state of the node, too. */
  readonly load: boolean;
  readonly rollUp: boolean;
  readonly filters: SampleFilters;
  /** The epoch of this boot, from its time in Unix seconds. */
  readonly epochOf: (bootedAt: number) => number;
  readonly userNames: UserNames;
  readonly readGpus: () => Promise<GpuReading>;
  /** Ids for rolled-up records, above this id; without it they have none. */
  readonly pidMax?: number | undefined;
  /** /proc, or a folder with the same layout. */
  readonly root?: string | undefined;
}

/** Takes samples of this node. */
export interface Sampler {
  /** Reads the processes, so that the next sample knows what they used since. */
  prepare(): void;
  take(): Promise<Message>;
  close(): void;
}

export function createSampler(options: SamplerOptions): Sampler {
  const { origin, filters, root = '/proc', userNames } = options;
  const table = openProcessTable(root);
  const details = openDetails(root);
  const pidOf = options.pidMax === undefined ? undefined : createRollUpIds(options.pidMax);
  let before: Uses | undefined;

  const read = (): { processes: ProcessSample[]; uses: Uses } => {
    const atMs = performance.now();
    const processes = table.read();
    const seconds = new Map(
      processes.map((each) => [
        each.pid,
        { startTicks: each.startTicks, seconds: each.cpuSeconds + each.waitedCpuSeconds },
      ]),
    );
    return { processes, uses: { atMs, seconds } };
  };

  return {
    prepare() {
      before = read().uses;
    },
    async take() {
      // The slow tool first: what is told of processes and node is of one moment then.
      const gpus = await options.readGpus().catch((error: unknown) => failedGpus(error));
      const atMs = Date.now();
      try {
        const { processes, uses } = read();
        const detailed = details.of(processes);
        const figures = readNodeFigures(root);
        const utilOf = utilSince(before, uses);
        before = uses;
        await userNames.learn(detailed.flatMap(({ userId }) => (userId === undefined ? [] : [userId])));
        const { bootedAt, uptimeSeconds = 0, memoryBytes, problems } = figures;
        const all = recordsOf(detailed, { uptimeSeconds, utilOf, nameOf: userNames.nameOf, gpuUses: gpus.uses });
        const records = (options.rollUp ? rollUp(all, pidOf) : all).filter((record) =>
          isWanted(record, filters, memoryBytes),
        );
        const attributes = sampleAttributes({
          origin,
          atMs,
          epoch: options.epochOf(bootedAt ?? Math.floor(atMs / 1000 - uptimeSeconds)),
          records,
          node: options.load ? { figures, gpus: gpus.states } : undefined,
          problems: [...problems, ...gpus.problems],
        });
        return dataMessage('sample', origin, atMs, attributes);
      } catch (error) {
        return errorMessage('sample', origin, atMs, [`the processes cannot be read: ${(error as Error).message}`]);
      }
    },
    close() {
      table.close();
      details.close();
    },
  };
}

/** Processor time of each process at a moment of the monotonic clock. */
interface Uses {
  readonly atMs: number;
  readonly seconds: ReadonlyMap<number, { readonly startTicks: number; readonly seconds: number }>;
}

const utilSince = (before: Uses | undefined, now: Uses) => {
  const elapsed = before === undefined ? 0 : (now.atMs - before.atMs) / 1000;
  return ({ pid, startTicks, cpuSeconds, waitedCpuSeconds }: DetailedProcess): number | undefined => {
    const earlier = before?.seconds.get(pid);
    if (elapsed <= 0 || earlier === undefined || earlier.startTicks !== startTicks) return undefined;
    const used = Math.max(0, cpuSeconds + waitedCpuSeconds - earlier.seconds);
    return rounded((used / elapsed) * 100, 1000);
  };
};

const failedGpus = (error: unknown): GpuReading => ({
  ...NO_GPUS,
  problems: [`the cards cannot be read: ${(error as Error).message}`],
});
