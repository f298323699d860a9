import { objectOf, type ValueOf } from './kinds.ts';

const required = 'refused' as const;

const clusterPartition = objectOf('ClusterPartition', {
  name: { kind: 'nonempty', required, says: 'Name of the partition' },
  nodes: { kind: 'range', list: 1, always: true, says: 'Nodes in the partition' },
});

const clusterNodes = objectOf('ClusterNodes', {
  names: { kind: 'range', list: 1, required, says: 'Nodes; at least one range' },
  states: { kind: 'string', list: 1, always: true, says: 'States of these nodes, in upper case' },
});

export const clusterAttributes = objectOf('ClusterAttributes', {
  time: { kind: 'timestamp', required, says: 'When the data were obtained' },
  cluster: { kind: 'hostname', required: 'known', says: 'Canonical name of the cluster' },
  slurm: { kind: 'bool', always: true, says: 'At least some nodes are managed by Slurm' },
  partitions: { kind: clusterPartition, list: 1, always: true, says: 'Partitions of the cluster' },
  nodes: { kind: clusterNodes, list: 1, always: true, says: 'Managed nodes of the cluster' },
});

export type ClusterAttributes = ValueOf<typeof clusterAttributes>;
