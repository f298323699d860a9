import { smallest } from '../core/quantity/extremes.ts';
import type { HpcPartition } from './profile.ts';

/** What `scontrol show partition NAME` says of a partition. */
export interface PartitionRules {
  readonly minNodes: number | null;
  readonly maxNodes: number | null;
  readonly isShared: boolean;
  /** A job gets whole nodes. */
  readonly isExclusive: boolean;
  readonly maxCpus: number | undefined;
  readonly maxMemoryMb: number | undefined;
  /** Who may use it, and whether it starts anything. */
  readonly access: Pick<
    HpcPartition,
    'state' | 'is_root_only' | 'allow_accounts' | 'deny_accounts' | 'allow_qos' | 'deny_qos'
  >;
}

export function parsePartitionRules(text: string): PartitionRules {
  const value = valueIn(text);
  const number = (key: string) => wholeOf(value(key));
  /** Undefined for `ALL`, `N/A`, and what is not said. */
  const names = (key: string) => {
    const found = value(key);
    return found === undefined || /^(?:all|n\/a|none|\(null\))$/i.test(found) ? undefined : found.split(',');
  };
  const access = {
    state: value('State'),
    is_root_only: value('RootOnly') === 'YES' ? true : undefined,
    allow_accounts: names('AllowAccounts'),
    deny_accounts: names('DenyAccounts'),
    allow_qos: names('AllowQos'),
    deny_qos: names('DenyQos'),
  };
  return {
    minNodes: number('MinNodes') ?? null,
    maxNodes: number('MaxNodes') ?? null,
    isShared: /yes|force/i.test(value('OverSubscribe') ?? ''),
    isExclusive: /exclusive/i.test(value('OverSubscribe') ?? ''),
    maxCpus: number('MaxCPUsPerNode'),
    maxMemoryMb: number('MaxMemPerNode'),
    access: Object.fromEntries(Object.entries(access).filter(([, each]) => each !== undefined)),
  };
}

/** What Slurm leaves to jobs on each node of a partition. */
export interface LeftOnNodes {
  readonly cpus: number;
  readonly memoryMb: number;
}

/**
 * What is left to jobs on the smallest node of each partition, from `scontrol -o show node`: nodes keep cores (`CoreSpecCount`) and memory
 * (`MemSpecLimit`) for the system, which sinfo counts. An allocation of all CPUs of a node would never start.
 */
export function parseLeftOnNodes(text: string): Map<string, LeftOnNodes> {
  const byName = new Map<string, LeftOnNodes>();
  for (const line of text.split('\n')) {
    const value = valueIn(line);
    const number = (key: string) => wholeOf(value(key));
    const threads = number('ThreadsPerCore') ?? 1;
    const cpus = number('CPUEfctv') ?? (number('CPUTot') ?? Infinity) - (number('CoreSpecCount') ?? 0) * threads;
    const memoryMb = (number('RealMemory') ?? Infinity) - (number('MemSpecLimit') ?? 0);
    for (const name of value('Partitions')?.split(',') ?? []) {
      const known = byName.get(name) ?? { cpus: Infinity, memoryMb: Infinity };
      byName.set(name, { cpus: smallest([known.cpus, cpus]), memoryMb: smallest([known.memoryMb, memoryMb]) });
    }
  }
  return byName;
}

const valueIn = (text: string) => (key: string) => new RegExp(`(?:^|\\s)${key}=(\\S+)`).exec(text)?.[1];

const wholeOf = (text: string | undefined) => (/^\d+$/.test(text ?? '') ? Number(text) : undefined);
