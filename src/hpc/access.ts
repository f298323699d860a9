import type { HpcPartition } from './profile.ts';

/** What an allocation says about itself that decides who takes it. */
export interface AllocationClaims {
  readonly account: string;
  readonly qos?: string | undefined;
  /** Features of nodes: `a&b`, `a|b`. */
  readonly constraint?: string | undefined;
}

/** Why Slurm would not start an allocation of a partition, whatever its size; undefined where nothing is known against it. */
export function partitionRefusal(
  partition: HpcPartition,
  { account: given, qos, constraint }: AllocationClaims,
): string | undefined {
  const { state, allow_accounts, deny_accounts, allow_qos, deny_qos } = partition;
  // Slurm stores accounts in lower case.
  const account = given.toLowerCase();
  if (partition.refusal !== undefined) return partition.refusal;
  if (state !== undefined && state !== 'UP') return `is ${state}`;
  if (partition.is_root_only === true) return 'takes allocations of root only';
  if (allow_accounts?.includes(account) === false) return `takes only the accounts ${allow_accounts.join(', ')}`;
  if (deny_accounts?.includes(account) === true) return `does not take the account ${account}`;
  // The accounting knows the usual QOS of an account: `normal` on most sites, and the default partition takes it.
  const takesUsual = partition.is_default === true || allow_qos?.includes('normal') !== false;
  if (qos === undefined ? !takesUsual : allow_qos?.includes(qos) === false)
    return `takes only the QOS ${allow_qos?.join(', ')}`;
  if (qos !== undefined && deny_qos?.includes(qos) === true) return `does not take the QOS ${qos}`;
  // Of a profile that was not read from the cluster features describe the partition, not its nodes.
  if (constraint !== undefined && partition.total_nodes !== undefined && !hasFeatures(partition.features, constraint))
    return `has no nodes with ${constraint}`;
  return undefined;
}

/** Whether nodes may have what a constraint names. Numbers and brackets are Slurm's to decide. */
function hasFeatures(features: readonly string[], constraint: string): boolean {
  if (/[[\]()*]/.test(constraint)) return true;
  const isThere = (name: string) => features.includes(name.trim());
  return constraint.split('|').some((some) => some.split(/[&,]/).every(isThere));
}
