import { type HpcPartition, type HpcProfile, partition } from './profile.ts';

/** The profiles that come with torc. Numbers are those that the sites publish. */

const HOUR = 3600;
const DAY = 24 * HOUR;

const kestrelNode = { cpus_per_node: 104, memory_mb: 246_064 };
const kestrel = (
  name: string,
  max_walltime_secs: number,
  description: string,
  more: Partial<HpcPartition> = {},
): HpcPartition => partition({ ...kestrelNode, name, max_walltime_secs, description, ...more });

const explicit = { requires_explicit_request: true };
const h100 = (gpus_per_node: number) => ({ gpus_per_node, gpu_type: 'h100', gpu_memory_gb: 80 });
const gpuNode = {
  cpus_per_node: 128,
  memory_mb: 360_000,
  ...h100(4),
  shared: true,
  local_disk_gb: 3400,
  features: ['gpu', 'h100'],
};
const bigNode = { memory_mb: 2_000_000, local_disk_gb: 5600, features: ['bigmem', 'nvme'] };
const wideNode = { ...explicit, min_nodes: 2, features: ['dual-nic'] };
const sharedNode = { ...explicit, shared: true, features: ['shared'] };

const KESTREL: HpcProfile = {
  name: 'kestrel',
  display_name: 'NLR Kestrel',
  description: 'The system Kestrel of the National Laboratory of the Rockies',
  detection: [{ type: 'env_var', name: 'NLR_CLUSTER', value: 'kestrel' }],
  default_account: null,
  partitions: [
    kestrel('debug', HOUR, 'Short tests', {
      ...explicit,
      ...h100(2),
      shared: true,
      max_nodes: 2,
      max_nodes_per_user: 2,
      features: ['debug'],
    }),
    kestrel('short', 4 * HOUR, 'Jobs of up to 4 hours', { max_nodes: 2240 }),
    kestrel('standard', 2 * DAY, 'Jobs of up to 2 days', { max_nodes: 2240, max_nodes_per_user: 1050 }),
    kestrel('long', 10 * DAY, 'Jobs of up to 10 days', { max_nodes: 430, max_nodes_per_user: 215 }),
    kestrel('medmem', 10 * DAY, 'Nodes with 1 TB of memory', {
      memory_mb: 984_256,
      max_nodes: 64,
      max_nodes_per_user: 32,
      features: ['highmem'],
    }),
    kestrel('bigmem', 2 * DAY, 'Nodes with 2 TB of memory', { ...bigNode, max_nodes: 10, max_nodes_per_user: 4 }),
    kestrel('bigmeml', 10 * DAY, 'Nodes with 2 TB of memory, up to 10 days', {
      ...bigNode,
      max_nodes: 4,
      max_nodes_per_user: 2,
    }),
    kestrel('hbw', 2 * DAY, 'Nodes with two network interfaces', {
      ...wideNode,
      max_nodes: 512,
      max_nodes_per_user: 256,
    }),
    kestrel('hbwl', 10 * DAY, 'Nodes with two network interfaces, up to 10 days', {
      ...wideNode,
      max_nodes: 128,
      max_nodes_per_user: 64,
    }),
    kestrel('nvme', 2 * DAY, 'Nodes with a local disk', {
      ...explicit,
      local_disk_gb: 1700,
      max_nodes: 256,
      max_nodes_per_user: 128,
      features: ['nvme'],
    }),
    kestrel('shared', 2 * DAY, 'Parts of nodes', { ...sharedNode, max_nodes: 128, max_nodes_per_user: 64 }),
    kestrel('sharedl', 10 * DAY, 'Parts of nodes, up to 10 days', {
      ...sharedNode,
      max_nodes: 32,
      max_nodes_per_user: 16,
    }),
    kestrel('gpu-h100s', 4 * HOUR, 'GPU nodes, up to 4 hours', { ...gpuNode, max_nodes: 156 }),
    kestrel('gpu-h100', 2 * DAY, 'GPU nodes, up to 2 days', { ...gpuNode, max_nodes: 156 }),
    kestrel('gpu-h100l', 10 * DAY, 'GPU nodes, up to 10 days', { ...gpuNode, max_nodes: 39 }),
  ],
  charge_factor_cpu: 10,
  charge_factor_gpu: 100,
  metadata: {},
};

const dane = (
  name: string,
  max_walltime_secs: number,
  description: string,
  more: Partial<HpcPartition> = explicit,
): HpcPartition => partition({ cpus_per_node: 112, memory_mb: 257_054, name, max_walltime_secs, description, ...more });

const DANE: HpcProfile = {
  name: 'dane',
  display_name: 'LLNL Dane',
  description: 'The system Dane of the Lawrence Livermore National Laboratory',
  detection: [{ type: 'env_var', name: 'CLUSTER', value: 'dane' }],
  default_account: null,
  partitions: [
    dane('pdebug', HOUR, 'Short tests', { ...explicit, features: ['debug'] }),
    dane('pbatch', DAY, 'Batch jobs', {}),
    dane('pci', DAY, 'Continuous integration', { ...explicit, features: ['ci'] }),
    dane('pserial', 7 * DAY, 'Serial jobs', { ...explicit, features: ['serial'] }),
    dane('pjupyter', DAY, 'Jupyter', { ...explicit, shared: true, features: ['jupyter'] }),
    dane('pall', 365 * DAY, 'All nodes, by arrangement', { ...explicit, features: ['special'] }),
  ],
  charge_factor_cpu: 1,
  charge_factor_gpu: 1,
  metadata: {
    documentation: 'https://hpc.llnl.gov/hardware/compute-platforms/dane',
    organization: 'Lawrence Livermore National Laboratory',
  },
};

/** In the order in which they are detected. */
export const builtInProfiles: readonly HpcProfile[] = [DANE, KESTREL];
