import { createAmdReader } from './amd.ts';
import type { GpuReading } from './gpu.ts';
import { createNvidiaReader } from './nvidia.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads all cards of this node, for repeated reads. Each manufacturer counts its own cards from 0, so two cards may have
 * one index; their uuids differ.
 */
export function createGpuReader(environment: Environment): () => Promise<GpuReading> {
  const nvidia = createNvidiaReader(environment);
  const amd = createAmdReader(environment);
  return async () => {
    const readings = await Promise.all([nvidia.read(), amd.read()]);
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
