import type { ResourceRequirements } from '../../../core/contract/resources.ts';

export type RequirementsRow = Required<{ [F in keyof ResourceRequirements]: NonNullable<ResourceRequirements[F]> }>;
export const requirementsColumns = [
  'id',
  'workflow_id',
  'name',
  'num_cpus',
  'num_gpus',
  'num_nodes',
  'memory',
  'runtime',
];
