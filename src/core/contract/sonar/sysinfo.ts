import { objectOf, type ValueOf } from './kinds.ts';

const required = 'refused' as const;

const sysinfoGpuCard = objectOf('SysinfoGpuCard', {
  index: { kind: 'uint', always: true, says: 'Local index of the card; may change at boot' },
  uuid: { kind: 'string', says: 'UUID as reported by the card, or constructed by the producer' },
  address: { kind: 'string', says: 'Address within the node, such as a PCI address' },
  manufacturer: { kind: 'string', says: 'A keyword: NVIDIA, AMD, Intel' },
  model: { kind: 'string', says: "The manufacturer's model string" },
  architecture: { kind: 'string', says: 'Such as Turing or Volta' },
  driver: { kind: 'string', says: "The manufacturer's driver string" },
  firmware: { kind: 'string', says: "The manufacturer's firmware string" },
  memory: { kind: 'uint', unit: 'KB', says: 'Memory of the card' },
  power_limit: { kind: 'uint', unit: 'W', says: 'Power limit' },
  max_power_limit: { kind: 'uint', unit: 'W', says: 'Maximum power limit' },
  min_power_limit: { kind: 'uint', unit: 'W', says: 'Minimum power limit' },
  max_ce_clock: { kind: 'uint', unit: 'MHz', says: 'Maximum clock of the compute element' },
  max_memory_clock: { kind: 'uint', unit: 'MHz', says: 'Maximum clock of the memory' },
});

const sysinfoSoftwareVersion = objectOf('SysinfoSoftwareVersion', {
  key: { kind: 'nonempty', required, says: 'A unique identifier of the package' },
  name: { kind: 'string', says: 'Name of the package for people' },
  version: { kind: 'nonempty', required, says: 'Version of the package, in its own format' },
});

export const sysinfoAttributes = objectOf('SysinfoAttributes', {
  time: { kind: 'timestamp', required, says: 'When the data were obtained' },
  cluster: { kind: 'hostname', required: 'known', says: 'Canonical name of the cluster' },
  node: { kind: 'hostname', required, says: 'Name of the host as it is known to itself' },
  os_name: { kind: 'nonempty', required, says: 'Name of the operating system (utsname.sysname)' },
  os_release: { kind: 'nonempty', required, says: 'Version of the operating system (utsname.release)' },
  architecture: { kind: 'nonempty', required, says: 'Architecture (utsname.machine)' },
  numa_nodes: { kind: 'uint', since: '0.16.1', says: 'Number of NUMA nodes, 0 if unknown' },
  sockets: { kind: 'nonzero', required, says: 'Number of CPU sockets' },
  cores_per_socket: { kind: 'nonzero', required, says: 'Number of physical cores per socket' },
  threads_per_core: { kind: 'nonzero', required, says: 'Number of hyperthreads per physical core' },
  cpu_model: { kind: 'string', says: "Manufacturer's model name" },
  memory: { kind: 'nonzero', required, unit: 'KB', says: 'Main memory' },
  topo_svg: { kind: 'string', says: 'SVG output of lstopo in base64' },
  topo_text: { kind: 'string', since: '0.16.0', says: 'Readable topology in base64' },
  cards: { kind: sysinfoGpuCard, list: 1, says: 'Information about each card' },
  distances: { kind: 'uint', list: 2, since: '0.15.0', says: 'Square matrix of NUMA distances; 10 is the node itself' },
  software: { kind: sysinfoSoftwareVersion, list: 1, until: '0.16.0', says: 'Information about software packages' },
});

export type SysinfoAttributes = ValueOf<typeof sysinfoAttributes>;
export type SysinfoGpuCard = ValueOf<typeof sysinfoGpuCard>;
