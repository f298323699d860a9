/**
 * How jobs become groups that share allocations: `packed` by time and by what they need of a node; the others are those of Torc 1.0.0, which
 * give each job of a group as much as the largest one.
 */
export const GROUPINGS = ['packed', 'partition', 'resource-requirements'] as const;
export type Grouping = (typeof GROUPINGS)[number];
