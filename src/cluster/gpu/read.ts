import { createAmdReader } from './amd.ts';
import type { GpuReading } from './gpu.ts';
import { createHabanaReader } from './habana.ts';
import { createNvidiaReader } from './nvidia.ts';
import { createXpuReader } from './xpu.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads all cards of this node, for repeated reads. Each manufacturer counts its own cards from 0, so two cards may have
 * one index; their uuids differ.
 */
export function createGpuReader(environment: Environment): () => Promise<GpuReading> {
  const nvidia = createNvidiaReader(environment);
  const amd = createAmdReader(environment);
  const xpu = createXpuReader(environment);
  const habana = createHabanaReader(environment);
  return async () => {
    const readings = await Promise.all([nvidia.read(), amd.read(), xpu.read(), habana.read()]);
    return {
      cards: readings.flatMap(({ cards }) => cards),
      states: readings.flatMap(({ states }) => states),
      uses: readings.flatMap(({ uses }) => uses),
      problems: readings.flatMap(({ problems }) => problems),
    };
  };
}

/** Reads all cards of this node once. */
export const readGpus = (environment: Environment): Promise<GpuReading> => createGpuReader(environment)();
