import type { BatchOptions, BatchSystem, KnownBatch } from './batch/batch-system.ts';
import { slurm } from './slurm/slurm.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The batch systems that Torc knows. Of two that are here the first is meant, and where none is, the first says what is missing. */
export const batchSystems: [KnownBatch, ...KnownBatch[]] = [slurm];

/** The batch system of a process with these variables: the one door to all that submits, asks about and ends allocations. */
export const openBatch = (environment: Environment, options: BatchOptions = {}): BatchSystem =>
  (batchSystems.find(({ isHere }) => isHere(environment)) ?? batchSystems[0]).open(environment, options);

/** Whether allocations can be submitted here. */
export const hasBatch = (environment: Environment): boolean => batchSystems.some(({ isHere }) => isHere(environment));
