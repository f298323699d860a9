import type { NotifyFacts } from '../../src/core/notify/digest.ts';

/** What is known of a workflow that has ended well, with changes. */
export const notifyFacts = (name: string, over: Partial<NotifyFacts> = {}): NotifyFacts => ({
  workflow: { id: 3, name, user: 'ada' },
  runId: 2,
  counts: { completed: 3 },
  isCanceled: false,
  hasBegun: true,
  lost: [],
  runners: [],
  allocations: 0,
  reasons: [],
  nowMs: 0,
  ...over,
});
