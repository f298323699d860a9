import { queueStateOf } from '../core/allocation/slurm-state.ts';
import { greatest, smallest } from '../core/quantity/extremes.ts';
import { parseGres } from '../core/quantity/gres.ts';
import type { LeftOnNodes, PartitionRules } from './partition-rules.ts';
import { type HpcPartition, type HpcProfile, partition } from './profile.ts';

/** Readers of what a cluster says about itself, and the profile that follows. */

/** A line of `sinfo -e -o %P|%c|%m|%l|%G|%D|%f --noheader`; a partition has a line for each kind of its nodes. */
interface NodeKind {
  readonly name: string;
  readonly isDefault: boolean;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly walltimeSeconds: number;
  readonly gpus: { readonly count: number; readonly type: string | null } | undefined;
  readonly nodes: number;
  readonly features: readonly string[];
}

/** The year of a partition without a limit. */
const UNLIMITED_SECONDS = 365 * 86_400;

/** The lines of a table: a banner that the site prints before them may contain the separator, and its first word is no name, or it ends with no number. */
const rowsOf = (text: string, count: number, numberAt: number): string[][] =>
  text.split('\n').flatMap((line) => {
    const values = line
      .trim()
      .split('|')
      .map((value) => value.trim());
    const isRow =
      values.length >= count && /^[^\s*]+\*?$/.test(values[0] ?? '') && wholeOf(values[numberAt] ?? '') !== undefined;
    return isRow ? [values] : [];
  });

/** Lines with fewer fields are passed over. The star of the default partition is no part of its name. */
export const parseNodeKinds = (text: string): NodeKind[] =>
  rowsOf(text, 6, 5).map(([name = '', cpus = '', memory = '', limit = '', gres = '', nodes = '', features = '']) => ({
    name: name.replaceAll('*', ''),
    isDefault: name.endsWith('*'),
    cpus: wholeOf(cpus) ?? 1,
    memoryMb: wholeOf(memory) ?? 1024,
    walltimeSeconds: limitSeconds(limit),
    gpus: gpusOf(name, gres),
    nodes: wholeOf(nodes) ?? 0,
    features: features.split(',').filter((each) => each !== '' && each !== '(null)'),
  }));

/** `128+` stands for 128 and more. */
const wholeOf = (text: string) => (/^\d+\+?$/.test(text.trim()) ? Number.parseInt(text, 10) : undefined);

/** Parts that cannot be read count as 0: one odd partition must not hide the others. */
function limitSeconds(text: string): number {
  const trimmed = text.trim();
  if (/^(infinite|unlimited)$/i.test(trimmed)) return UNLIMITED_SECONDS;
  const [days, clock] = trimmed.includes('-') ? trimmed.split('-', 2) : ['0', trimmed];
  const parts = (clock ?? '').split(':').map((part) => wholeOf(part) ?? 0);
  const [first = 0, second = 0, third = 0] = parts;
  const seconds =
    parts.length >= 3 ? first * 3600 + second * 60 + third : parts.length === 2 ? first * 60 + second : first * 60;
  return (wholeOf(days ?? '') ?? 0) * 86_400 + seconds;
}

const TYPES = ['h100', 'a100', 'v100', 'a40', 'a30', 'l40'];

function gpusOf(partitionName: string, gres: string): NodeKind['gpus'] {
  const text = gres.trim();
  if (text !== '' && text !== '(null)') {
    const found = parseGres(text);
    return found === undefined || found.count === 0 ? undefined : { count: found.count, type: found.type ?? null };
  }
  // Some sites hide generic resources: then the name says that there are GPUs.
  const name = partitionName.toLowerCase();
  return name.includes('gpu') ? { count: 4, type: TYPES.find((type) => name.includes(type)) ?? 'gpu' } : undefined;
}

interface LiveOptions {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly kinds: readonly NodeKind[];
  readonly rules: ReadonlyMap<string, PartitionRules>;
  /** What Slurm leaves to jobs on the nodes of a partition. */
  readonly left?: ReadonlyMap<string, LeftOnNodes>;
  /** Slurm gives whole nodes in all partitions (`SelectType=select/linear`). */
  readonly givesWholeNodes?: boolean;
  readonly skipsStandby?: boolean;
}

/** The profile of a running cluster. A partition has what each of its nodes has. */
export function liveProfile({
  name,
  displayName,
  kinds,
  rules,
  left,
  givesWholeNodes = false,
  skipsStandby = false,
}: LiveOptions): HpcProfile {
  const names = [...new Set(kinds.map((kind) => kind.name))]
    .filter((each) => !(skipsStandby && each.endsWith('-stdby')))
    .toSorted();
  return {
    name,
    display_name: displayName ?? `${name.charAt(0).toUpperCase()}${name.slice(1)} (Slurm)`,
    description: 'Dynamically discovered from Slurm',
    detection: [],
    default_account: null,
    partitions: names.map((each) =>
      merged(
        each,
        kinds.filter((kind) => kind.name === each),
        { rules: rules.get(each), left: left?.get(each), givesWholeNodes },
      ),
    ),
    charge_factor_cpu: 1,
    charge_factor_gpu: 10,
    metadata: {},
  };
}

interface Known {
  readonly rules: PartitionRules | undefined;
  readonly left: LeftOnNodes | undefined;
  readonly givesWholeNodes: boolean;
}

function merged(name: string, kinds: readonly NodeKind[], { rules, left, givesWholeNodes }: Known): HpcPartition {
  const gpus = kinds.flatMap((kind) => (kind.gpus === undefined ? [] : [kind.gpus]));
  const types = new Set(gpus.map(({ type }) => type));
  return partition({
    name,
    cpus_per_node: smallest([...kinds.map(({ cpus }) => cpus), rules?.maxCpus ?? Infinity, left?.cpus ?? Infinity]),
    memory_mb: smallest([
      ...kinds.map(({ memoryMb }) => memoryMb),
      rules?.maxMemoryMb ?? Infinity,
      left?.memoryMb ?? Infinity,
    ]),
    max_walltime_secs: greatest(kinds.map(({ walltimeSeconds }) => walltimeSeconds)),
    gpus_per_node: gpus.length === 0 ? null : smallest(gpus.map(({ count }) => count)),
    gpu_type: types.size === 1 ? ([...types][0] ?? null) : null,
    min_nodes: rules?.minNodes ?? null,
    max_nodes: rules?.maxNodes ?? null,
    shared: rules?.isShared === true || name.includes('shared'),
    exclusive: givesWholeNodes || rules?.isExclusive === true,
    ...(kinds.some(({ isDefault }) => isDefault) ? { is_default: true } : {}),
    features: [...new Set(kinds.flatMap(({ features }) => features))],
    total_nodes: kinds.reduce((sum, { nodes }) => sum + nodes, 0),
    ...rules?.access,
  });
}

/** Nodes of a partition by state, from `sinfo -o %P|%T|%D`. */
export interface Availability {
  idle: number;
  mixed: number;
  allocated: number;
  down: number;
  total: number;
}

export function parseAvailability(text: string): Map<string, Availability> {
  const byName = new Map<string, Availability>();
  for (const [given = '', state = '', count = ''] of rowsOf(text, 3, 2)) {
    const name = given.replaceAll('*', '');
    const nodes = wholeOf(count) ?? 0;
    const found = byName.get(name) ?? { idle: 0, mixed: 0, allocated: 0, down: 0, total: 0 };
    byName.set(name, found);
    const word = state.toLowerCase();
    found.total += nodes;
    // The star of a node that does not answer.
    if (word.endsWith('*')) found.down += nodes;
    else if (word.startsWith('idle')) found.idle += nodes;
    else if (word.startsWith('mix')) found.mixed += nodes;
    else if (word.startsWith('alloc')) found.allocated += nodes;
    else if (/^(down|drain|not_responding)/.test(word)) found.down += nodes;
  }
  return byName;
}

/** Jobs of a partition, from `squeue -o %P|%T|%D`. */
export interface QueueDepth {
  pendingJobs: number;
  pendingNodes: number;
  runningJobs: number;
}

export function parseQueueDepth(text: string): Map<string, QueueDepth> {
  const byName = new Map<string, QueueDepth>();
  // A job that waits may name several partitions: it waits in each.
  for (const [names = '', word = '', count = ''] of rowsOf(text, 3, 2)) {
    const state = queueStateOf(word);
    if (state === 'unknown') continue;
    for (const name of new Set(names.split(',').filter((each) => each !== ''))) {
      const found = byName.get(name) ?? { pendingJobs: 0, pendingNodes: 0, runningJobs: 0 };
      byName.set(name, found);
      if (state === 'queued') {
        found.pendingJobs += 1;
        found.pendingNodes += wholeOf(count) ?? 0;
      } else if (state === 'running') found.runningJobs += 1;
    }
  }
  return byName;
}
