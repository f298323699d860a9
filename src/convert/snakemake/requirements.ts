import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatRuntime } from '../../core/quantity/duration.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { ResolvedJob } from './dry-run.ts';

const MB = 10 ** 6;

/** What a job asks for; undefined if its rule says nothing. Memory that it does not ask for is 1 GiB for each thread. */
export function requirementsOf({ threads, resources }: ResolvedJob): ValueMap | undefined {
  const number = (name: string): number | undefined => {
    const value = Number(resources.get(name) ?? Number.NaN);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const memoryMb = number('mem_mb');
  const minutes = number('runtime') ?? number('runtime_min') ?? number('time_min');
  const gpus = number('gpu') ?? number('nvidia_gpu') ?? number('gpus');
  if (threads <= 1 && memoryMb === undefined && minutes === undefined && gpus === undefined) return undefined;
  return {
    num_cpus: threads,
    memory: formatMemory(memoryMb === undefined ? threads * 2 ** 30 : memoryMb * MB),
    ...(gpus === undefined ? {} : { num_gpus: gpus }),
    ...(minutes === undefined ? {} : { runtime: formatRuntime(minutes * 60) }),
  };
}
