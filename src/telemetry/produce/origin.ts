import { hostname } from 'node:os';
import type { Origin } from './envelope.ts';

export interface OriginOptions {
  readonly cluster?: string | undefined;
  /** Cut the name of the node at its first dot. */
  readonly hostnameOnly?: boolean | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** This node and its cluster. A node without a cluster is a cluster of its own name: every record names one. */
export function messageOriginOf({ cluster, hostnameOnly, environment }: OriginOptions): Origin {
  const name = hostname();
  const node = hostnameOnly === true ? (name.split('.')[0] ?? name) : name;
  return { node, cluster: cluster || environment['SLURM_CLUSTER_NAME'] || node };
}
