import { hostname } from 'node:os';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Origin } from '../format/envelope.ts';

export interface OriginOptions {
  readonly cluster?: string | undefined;
  /** Cut the name of the node at its first dot. */
  readonly hostnameOnly?: boolean | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * This node and its cluster. A node without a cluster is a cluster of its own name: every record names one.
 * Throws `CONFIGURATION_REFUSED` on a machine without a name.
 */
export function messageOriginOf({ cluster, hostnameOnly, environment }: OriginOptions): Origin {
  const name = nodeNameOf(hostname(), environment);
  if (name === undefined)
    throw new Refusal(
      'CONFIGURATION_REFUSED',
      'this machine has no host name, and records of all such machines would be those of one node: set it (hostname NAME), and start again',
      {},
    );
  const node = hostnameOnly === true ? (name.split('.')[0] ?? name) : name;
  return { node, cluster: cluster || environment['SLURM_CLUSTER_NAME'] || node };
}

/**
 * The name of a node, by what its kernel has: a name may end with the dot of DNS (`n1.`), and is `(none)` before anything has set one, as on nodes
 * without a disk. Slurm knows such a node by another name, which its jobs have.
 */
export function nodeNameOf(given: string, environment: OriginOptions['environment']): string | undefined {
  const name = given.replace(/\.+$/, '');
  return name === '' || name === '(none)' ? environment['SLURMD_NODENAME'] || undefined : name;
}
