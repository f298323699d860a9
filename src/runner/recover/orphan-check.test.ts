import { describe, expect, it } from 'vitest';
import type { Client } from '../../client/client.ts';
import { createOrphanCheck } from './orphan-check.ts';

/** An orphan check with a service that counts requests for its compute nodes. */
function orphanCheckOf({ held = 0, counts }: { held?: number; counts: object | undefined }) {
  let asked = 0;
  const client = {
    listComputeNodes() {
      asked += 1;
      return Promise.resolve({ items: [], has_more: false, total_count: 0, count: 0, offset: 0, max_limit: 1 });
    },
  } as unknown as Client;
  const orphanCheck = createOrphanCheck({
    client,
    workflowId: 1,
    runId: 1,
    hostname: 'here',
    log: { write: () => {}, close: () => {} },
    isIdle: () => held === 0,
    counts: () => counts as never,
    onFound: () => {},
  });
  void orphanCheck.check();
  return asked;
}

describe('an idle runner checks for lost runners on its host', () => {
  it.each(['ready', 'pending', 'running'])(
    'an idle runner checks for lost runners while jobs are %s that it does not hold',
    (status) => {
      expect(orphanCheckOf({ counts: { [status]: 1 } })).toBeGreaterThan(0);
    },
  );

  it('a runner does not check while it holds jobs, when no job is left, or before it knows the counts', () => {
    expect(orphanCheckOf({ held: 1, counts: { running: 1 } })).toBe(0);
    expect(orphanCheckOf({ counts: { completed: 9, blocked: 1 } })).toBe(0);
    expect(orphanCheckOf({ counts: undefined })).toBe(0);
  });
});
