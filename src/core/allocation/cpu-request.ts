import { greatest } from '../quantity/extremes.ts';

/**
 * The CPUs to ask for on each node when the scheduler does not say: as many as the largest job needs.
 *
 * On partitions whose nodes are shared, Slurm otherwise gives one CPU, jobs with two never start, and the allocation ends
 * without an error. On partitions that give whole nodes the number has no effect. Undefined if the scheduler asks for CPUs
 * or tasks in any way.
 */
export function cpusToAsk(
  { defaults, extra }: { defaults: Readonly<Record<string, unknown>>; extra: string | null | undefined },
  needs: readonly { readonly num_cpus?: number | null | undefined }[],
): number | undefined {
  const given = [
    ...Object.keys(defaults).map((name) => name.replaceAll('_', '-')),
    ...[...(extra ?? '').matchAll(/(?:^|\s)--?([a-z][\w-]*)/g)].map(([, name]) => name as string),
  ];
  if (given.some((name) => ASKS_FOR_CPUS.has(name) || /^[cn]\d+$/.test(name))) return undefined;
  return greatest(
    needs.map(({ num_cpus: cpus }) => cpus ?? 1),
    1,
  );
}

/** Source: sbatch(1), with the short forms. */
const ASKS_FOR_CPUS = new Set([
  'exclusive',
  'cpus-per-task',
  'c',
  'ntasks',
  'n',
  'ntasks-per-node',
  'ntasks-per-socket',
  'ntasks-per-core',
  'ntasks-per-gpu',
  'cpus-per-gpu',
  'mincpus',
  'cores-per-socket',
  'extra-node-info',
  'B',
]);
