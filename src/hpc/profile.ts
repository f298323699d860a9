import { batchWords } from '../core/allocation/batch-words.ts';
import type { PartitionRoom } from '../core/lifecycle/explain/job-facts.ts';

/** A site with a batch system, as its users see it: partitions, limits, and how to recognize it. Fields as in JSON. */
export interface HpcProfile {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly detection: readonly DetectionRule[];
  readonly default_account: string | null;
  readonly partitions: readonly HpcPartition[];
  readonly charge_factor_cpu: number;
  readonly charge_factor_gpu: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** The name of its batch system, as a configuration has it; absent for that of most sites. */
  readonly system?: string;
  /** How its allocations ask for nodes, where its batch system has several forms: `nodes={nodes}:ppn={cpus}`. */
  readonly resources?: readonly string[];
  /** Further options of every allocation: `-l filesystems=home`. */
  readonly options?: string;
}

export type DetectionRule =
  | { readonly type: 'env_var'; readonly name: string; readonly value: string }
  | { readonly type: 'hostname_pattern'; readonly pattern: string }
  | { readonly type: 'file_exists'; readonly path: string };

export interface HpcPartition extends PartitionRoom {
  readonly description: string;
  readonly max_nodes_per_user: number | null;
  readonly min_nodes: number | null;
  readonly gpu_type: string | null;
  readonly gpu_memory_gb: number | null;
  readonly local_disk_gb: number | null;
  readonly shared: boolean;
  /** Slurm does not route jobs to it by itself: scripts name it. */
  readonly requires_explicit_request: boolean;
  readonly default_qos: string | null;
  readonly features: readonly string[];
  /** Jobs get whole nodes; where this is not known, those of partitions that are not shared do. */
  readonly exclusive?: boolean;
  /** Slurm uses it for scripts that name none. */
  readonly is_default?: boolean;
  /** Its nodes, whatever their state, where the cluster was asked. So are the following ones. */
  readonly total_nodes?: number;
  readonly state?: string;
  readonly is_root_only?: boolean;
  /** Only these; absent for all. */
  readonly allow_accounts?: readonly string[];
  readonly deny_accounts?: readonly string[];
  readonly allow_qos?: readonly string[];
  readonly deny_qos?: readonly string[];
  /** Why it takes no allocation of this user, where that is known otherwise: `is disabled`. */
  readonly refusal?: string;
  /** The most allocations of this user that wait and run in it. */
  readonly max_queued_per_user?: number;
}

/** A partition with the usual values in the fields that are not given. */
export const partition = (
  given: Pick<HpcPartition, 'name' | 'cpus_per_node' | 'memory_mb' | 'max_walltime_secs'> & Partial<HpcPartition>,
): HpcPartition => ({
  description: '',
  max_nodes: null,
  max_nodes_per_user: null,
  min_nodes: null,
  gpus_per_node: null,
  gpu_type: null,
  gpu_memory_gb: null,
  local_disk_gb: null,
  shared: false,
  requires_explicit_request: false,
  default_qos: null,
  features: [],
  ...given,
});

/** Whether an allocation has to name a partition of a profile with this system, as it would come to another one. */
export const mustBeNamed = ({ system }: { readonly system?: string | undefined }, on: HpcPartition): boolean =>
  on.requires_explicit_request || (!batchWords(system).mayRoute && on.is_default !== true);

/** The most nodes that an allocation can have. */
export const mostNodes = ({ max_nodes: limit, total_nodes: total }: HpcPartition): number =>
  Math.min(limit ?? Infinity, total ?? Infinity);

/** What a profile is recognized by, on this machine. */
export interface MachineFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hostname: string;
  readonly fileExists: (path: string) => boolean;
}

/** The first profile of which any rule holds. */
export const detected = (profiles: readonly HpcProfile[], here: MachineFacts): HpcProfile | undefined =>
  profiles.find(({ detection }) => detection.some((rule) => holds(rule, here)));

function holds(rule: DetectionRule, { environment, hostname, fileExists }: MachineFacts): boolean {
  if (rule.type === 'env_var') return environment[rule.name] === rule.value;
  if (rule.type === 'file_exists') return fileExists(rule.path);
  try {
    return new RegExp(rule.pattern).test(hostname);
  } catch {
    // A pattern that is no regular expression holds nowhere.
    return false;
  }
}

/** Profiles by name: a later one replaces an earlier one of the same name, in its place. */
export function registry(...lists: readonly (readonly HpcProfile[])[]): HpcProfile[] {
  const byName = new Map<string, HpcProfile>();
  for (const profile of lists.flat()) byName.set(profile.name, profile);
  return [...byName.values()];
}
