import { readlinkSync } from 'node:fs';
import type { ProcessSample } from '../../cluster/host/proc.ts';
import type { GpuReading } from '../../cluster/gpu/gpu.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import { SLICED_MODE } from '../../core/contract/sonar/conventions.ts';

/** What a step had of GPUs. */
interface GpuFigures {
  /** The most memory of its processes at once, on all cards together. */
  readonly peakGpuBytes: number;
  /** The memory of the cards on which they were then; undefined if it is not known. */
  readonly gpuBytes: number | undefined;
  /** What the cards with its processes drew on average; of a card that several steps use, a part. Undefined if a card does not say it. */
  readonly gpuWatts: number | undefined;
}

/** What was seen of a step so far. */
interface Seen extends GpuFigures {
  readonly readings: number;
}

/** The GPU memory and power of steps that have leased GPUs, by the processes that the tools of the manufacturers name. */
export interface GpuUseOfSteps {
  begin(id: StepId): void;
  /**
   * Reads the cards, if there is such a step, and notes what its processes have. Without effect while a reading is under way or
   * has just been taken. Never rejects.
   */
  look(processes: ReadonlyMap<StepId, readonly Pick<ProcessSample, 'pid'>[]>): Promise<void>;
  /** What was seen of the step, which is forgotten. */
  end(id: StepId): GpuFigures | undefined;
}

/** A reading starts three programs: more of them would show little more, and jobs on GPUs take longer. */
const LEAST_GAP_MS = 2_000;

/** The first one of a machine, which is that of its drivers (PROC_PID_INIT_INO in the kernel). */
const OF_HOST = 'pid:[4026531836]';

interface GpuUseOptions {
  readonly leastGapMs?: number;
  /** The process namespace of this process. */
  readonly namespace?: () => string;
}

export function createGpuUse(
  environment: Readonly<Record<string, string | undefined>>,
  { leastGapMs = LEAST_GAP_MS, namespace = ownNamespace }: GpuUseOptions = {},
): GpuUseOfSteps {
  /** Drivers know the ids of the host alone: in a container, one may be that of another process. */
  let isOnHost: boolean | undefined;
  const steps = new Map<StepId, Seen | undefined>();
  let reader: (() => Promise<GpuReading>) | undefined;
  let isReading = false;
  let lastMs = -Infinity;

  return {
    begin: (id) => void steps.set(id, undefined),
    async look(processes) {
      const nowMs = performance.now();
      if (steps.size === 0 || isReading || nowMs - lastMs < leastGapMs) return;
      isOnHost ??= namespace() === OF_HOST;
      if (!isOnHost) return;
      isReading = true;
      lastMs = nowMs;
      try {
        reader ??= (await import('../../cluster/gpu/read.ts')).createGpuReader(environment);
        const reading = await reader();
        const pids = new Map([...steps.keys()].map((id) => [id, new Set(processes.get(id)?.map(({ pid }) => pid))]));
        const drawn = wattsOf([...pids.values()], reading);
        for (const [id, before] of steps) {
          const own = pids.get(id) as ReadonlySet<number>;
          const now = figuresOf(own, reading, drawn);
          if (now !== undefined) steps.set(id, joined(before, now));
        }
      } catch {
        // No file descriptor is left, for instance: the next reading may succeed.
      } finally {
        isReading = false;
      }
    },
    end(id) {
      const seen = steps.get(id);
      steps.delete(id);
      if (seen === undefined) return undefined;
      const { readings: _, ...figures } = seen;
      return figures;
    },
  };
}

function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** The watts of each card for one of the steps that use it, by its id; undefined for one that does not say them. */
function wattsOf(steps: readonly ReadonlySet<number>[], { states, uses }: GpuReading): Map<string, number | undefined> {
  const sharing = (uuid: string) => {
    const pids = uses.filter((use) => use.uuid === uuid).map(({ pid }) => pid);
    return steps.filter((own) => pids.some((pid) => own.has(pid))).length;
  };
  return new Map(
    states.map(({ uuid, powerWatts, computeMode }) => [
      uuid,
      powerWatts > 0 && computeMode !== SLICED_MODE ? powerWatts / Math.max(1, sharing(uuid)) : undefined,
    ]),
  );
}

/** Undefined where no process of the step was on a card. */
function figuresOf(
  pids: ReadonlySet<number>,
  { cards, states, uses }: GpuReading,
  drawn: ReadonlyMap<string, number | undefined>,
): GpuFigures | undefined {
  const own = uses.filter(({ pid }) => pids.has(pid));
  if (own.length === 0) return undefined;
  // A job has a slice of such a card, whose size is not known.
  const sliced = new Set(states.filter(({ computeMode }) => computeMode === SLICED_MODE).map(({ uuid }) => uuid));
  const used = [...new Set(own.map(({ uuid }) => uuid))];
  const sizes = used.map((uuid) =>
    sliced.has(uuid) ? 0 : (cards.find((card) => card.uuid === uuid)?.memoryKilobytes ?? 0),
  );
  const watts = used.map((uuid) => drawn.get(uuid));
  return {
    peakGpuBytes: 1024 * sum(own.map(({ memoryKilobytes }) => memoryKilobytes)),
    gpuBytes: sizes.includes(0) ? undefined : 1024 * sum(sizes),
    gpuWatts: watts.every((each) => each !== undefined) ? sum(watts) : undefined,
  };
}

/** The larger memory with that of its cards, and the mean power. */
function joined(before: Seen | undefined, now: GpuFigures): Seen {
  if (before === undefined) return { ...now, readings: 1 };
  const { peakGpuBytes, gpuBytes } = now.peakGpuBytes > before.peakGpuBytes ? now : before;
  const readings = before.readings + 1;
  const areKnown = before.gpuWatts !== undefined && now.gpuWatts !== undefined;
  const gpuWatts = areKnown ? before.gpuWatts + (now.gpuWatts - before.gpuWatts) / readings : undefined;
  return { peakGpuBytes, gpuBytes, gpuWatts, readings };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
