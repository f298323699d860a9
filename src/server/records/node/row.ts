import type { ComputeNode } from '../../../core/contract/node.ts';
import { presentFields, type RowOf } from '../present.ts';

export type ComputeNodeRow = Omit<RowOf<ComputeNode>, 'is_active' | 'scheduler' | 'labels' | 'process'> & {
  is_active: number;
} & Record<'scheduler' | 'labels' | 'process', string | null>;

const parsed = (text: string | null) => (text === null ? undefined : JSON.parse(text));

export const computeNodeOf = (row: ComputeNodeRow): ComputeNode & { id: number } => ({
  ...presentFields(row),
  is_active: row.is_active === 1,
  scheduler: parsed(row.scheduler),
  labels: parsed(row.labels),
  process: parsed(row.process),
});
