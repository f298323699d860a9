import { cpusToAsk } from '../core/allocation/cpu-request.ts';
import type { SlurmScheduler } from '../core/contract/scheduling.ts';

/** What new allocations keep of the scheduler that their jobs had. */
export type KeptScheduler = Pick<
  SlurmScheduler,
  'id' | 'name' | 'account' | 'partition' | 'qos' | 'gres' | 'tmp' | 'extra' | 'serialize_allocations' | 'pbs'
>;

/**
 * The options of sbatch, or of qsub, of a planned scheduler: those that the old one had, with the CPUs that the plan counts on.
 *
 * Where nodes are shared, an allocation has one CPU unless it asks for more. Undefined if there is nothing to say, as where
 * the request named tasks or whole nodes.
 */
export function extraOf(
  kept: KeptScheduler | undefined,
  { cpus, defaults }: { readonly cpus: number; readonly defaults: Readonly<Record<string, unknown>> },
): string | undefined {
  const own = (kept?.extra ?? '').replaceAll(OWN_CPUS, ' ');
  const rest = (kept?.pbs ? withoutOnceOfPbs(own) : own.replaceAll(ONCE, ' ')).trim().replaceAll(/\s+/g, ' ');
  // Options of qsub have letters that mean CPUs to sbatch.
  const asked = cpusToAsk({ defaults, extra: kept?.pbs ? '' : rest }, [{ num_cpus: cpus }]);
  const words = [...(rest === '' ? [] : [rest]), ...(asked === undefined ? [] : [`--cpus-per-task=${asked}`])];
  return words.length === 0 ? undefined : words.join(' ');
}

/** As the planner writes it. */
const OWN_CPUS = /(?<!\S)--cpus-per-task=\d+(?!\S)/g;

/** When and where the first allocation was to run: its node may be the one that crashed, and its hour may lie in the past. */
const ONCE = /(?<!\S)(?:--(?:begin|deadline|dependency|nodelist|nodefile)(?:=|\s+)\S+|-[bdwF]\s*\S+|--hold|-H)(?!\S)/g;

/** The same of qsub: `-W depend=afterok:7:8,afterany:9`, with other attributes behind commas. */
const withoutOnceOfPbs = (options: string): string =>
  options
    .replaceAll(/(?<!\S)-W\s*(\S+)/g, (_, list: string) => {
      const left = list.split(/,(?=\w+=)/).filter((each) => !each.startsWith('depend='));
      return left.length === 0 ? '' : `-W ${left.join(',')}`;
    })
    .replaceAll(/(?<!\S)(?:-a\s*\S+|-h)(?!\S)/g, ' ');

/** The generic resources of a planned scheduler: so many GPUs, of the type that the old one named, and its other resources. */
export function gresOf(kept: KeptScheduler | undefined, gpus: number): string | undefined {
  const old = (kept?.gres ?? '').split(',').filter((entry) => entry.trim() !== '');
  const isGpu = (entry: string) => /^\s*gpu(?=:|$)/i.test(entry);
  const type = /^\s*gpu:([a-z][\w.-]*)/i.exec(old.find(isGpu) ?? '')?.[1];
  const asked = gpus > 0 ? [`gpu:${type === undefined ? '' : `${type}:`}${gpus}`] : [];
  const all = [...asked, ...old.filter((entry) => !isGpu(entry))];
  return all.length === 0 ? undefined : all.join(',');
}

/** Whether an allocation gets whole nodes, whatever the partition gives others. */
export const asksForWholeNodes = (kept: KeptScheduler | undefined, defaults: Readonly<Record<string, unknown>>) =>
  (defaults['exclusive'] !== undefined && defaults['exclusive'] !== false) ||
  /(?:^|\s)--exclusive(?=\s|$)/.test(kept?.extra ?? '');
