import { programOn } from '../program-on.ts';
import { createAmdReader } from './amd.ts';
import type { GpuReading } from './gpu.ts';
import { createHabanaReader } from './habana.ts';
import { createNvidiaReader } from './nvidia.ts';
import { createXpuReader } from './xpu.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const readers = {
  'nvidia-smi': createNvidiaReader,
  'rocm-smi': createAmdReader,
  'xpu-smi': createXpuReader,
  'hl-smi': createHabanaReader,
} as const;

/**
 * Reads all cards of this node, for repeated reads. Each manufacturer counts its own cards from 0, so two cards may have
 * one index; their uuids differ.
 */
export function createGpuReader(environment: Environment): () => Promise<GpuReading> {
  const all = Object.entries(readers).map(([program, create]) => ({ program, reader: create(environment) }));
  return async () => {
    // To start a program that is not there takes 4 ms, to look for it a hundredth of that.
    const present = all.filter(({ program }) => programOn(environment['PATH'], program) !== undefined);
    const readings = await Promise.all(present.map(({ reader }) => reader.read()));
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
