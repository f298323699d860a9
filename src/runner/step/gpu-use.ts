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
}

/** The GPU memory of steps that have leased GPUs, by the processes that the tools of the manufacturers name. */
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
  const steps = new Map<StepId, GpuFigures | undefined>();
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
        for (const [id, before] of steps) {
          const now = figuresOf(new Set(processes.get(id)?.map(({ pid }) => pid)), reading);
          if (now.peakGpuBytes > (before?.peakGpuBytes ?? 0)) steps.set(id, now);
        }
      } catch {
        // No file descriptor is left, for instance: the next reading may succeed.
      } finally {
        isReading = false;
      }
    },
    end(id) {
      const figures = steps.get(id);
      steps.delete(id);
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

function figuresOf(pids: ReadonlySet<number>, { cards, states, uses }: GpuReading): GpuFigures {
  const own = uses.filter(({ pid }) => pids.has(pid));
  // A job has a slice of such a card, whose size is not known.
  const sliced = new Set(states.filter(({ computeMode }) => computeMode === SLICED_MODE).map(({ uuid }) => uuid));
  const sizes = [...new Set(own.map(({ uuid }) => uuid))].map((uuid) =>
    sliced.has(uuid) ? 0 : (cards.find((card) => card.uuid === uuid)?.memoryKilobytes ?? 0),
  );
  return {
    peakGpuBytes: 1024 * sum(own.map(({ memoryKilobytes }) => memoryKilobytes)),
    gpuBytes: sizes.includes(0) ? undefined : 1024 * sum(sizes),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
