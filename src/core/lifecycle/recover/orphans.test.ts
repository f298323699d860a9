import { describe, expect, it } from 'vitest';
import { type OrphanFacts, orphansOf } from './orphans.ts';

type State = [number, { state: 'running' | 'ended'; word: string }];
const running = (slurmJobId: number, word = 'RUNNING'): State => [slurmJobId, { state: 'running', word }];
const ended = (slurmJobId: number, word: string): State => [slurmJobId, { state: 'ended', word }];

/** As Slurm reported it to the runner. */
const RUN = { submittedAtMs: 8_000, startedAtMs: 10_000, restarts: 0 };

const facts = (more: Partial<OrphanFacts>): OrphanFacts => ({
  allocations: [{ recordId: 1, slurmJobId: 7, status: 'active' }],
  nodes: [{ id: 3, slurmJobId: 7, run: RUN, isActive: true, isHolder: false }],
  running: [{ id: 11, nodeId: 3 }],
  queue: new Map(),
  accounted: new Map(),
  ...more,
});

describe('orphans', () => {
  it('an active allocation that Slurm ended leaves its running jobs and its runner behind, in one pass', () => {
    const found = orphansOf(facts({ queue: new Map([ended(7, 'NODE_FAIL')]) }));
    expect(found.ended).toHaveLength(1);
    expect(found.deadNodes).toEqual([
      {
        nodeId: 3,
        isActive: true,
        slurmJobId: 7,
        jobIds: [11],
        isNodeLost: true,
        cause: 'allocation 7 ended NODE_FAIL',
        causeCode: 'node',
      },
    ]);
    expect(found.abandoned).toEqual([]);
  });

  it.each(['NODE_FAIL', 'FAILED', 'OUT_OF_MEMORY'])(
    'an active allocation that ended %s was lost, and one that a user canceled or that had its time was not',
    (word) => {
      expect(orphansOf(facts({ queue: new Map([ended(7, word)]) })).lost).toHaveLength(1);
      for (const expected of ['CANCELLED by 1000', 'TIMEOUT', 'COMPLETED'])
        expect(orphansOf(facts({ accounted: new Map([ended(7, expected)]) })).lost).toEqual([]);
      expect(orphansOf(facts({ queue: undefined })).lost).toEqual([]);
    },
  );

  it('an allocation that the controller has forgotten has ended, and the accounting names the cause', () => {
    expect(orphansOf(facts({})).deadNodes[0]?.cause).toBe('allocation 7 ended and the queue no longer knows it');
    const accounted = new Map([ended(7, 'CANCELLED by 1000')]);
    expect(orphansOf(facts({ accounted })).deadNodes[0]?.cause).toBe('allocation 7 ended CANCELLED by 1000');
  });

  it.each([
    ['runs', new Map([running(7)])],
    ['is in a state that is not known', new Map([[7, { state: 'unknown' as const, word: 'NEW_STATE' }]])],
    ['cannot be asked for', undefined],
  ])('an allocation that %s is left as it is, with its jobs', (_, queue) => {
    expect(orphansOf(facts({ queue }))).toEqual({
      ended: [],
      lost: [],
      gone: [],
      requeued: [],
      deadNodes: [],
      requeuedNodes: [],
      abandoned: [],
    });
  });

  it('an allocation that waits again proves nothing about a runner that registered this time of submission: the controller forgot that it started', () => {
    const waiting = (submittedAtMs: number) =>
      new Map([[7, { state: 'queued' as const, word: 'PENDING', submittedAtMs }]]);
    expect(orphansOf(facts({ queue: waiting(8_000) })).requeuedNodes).toEqual([]);
    expect(orphansOf(facts({ queue: waiting(9_000) })).requeuedNodes).toHaveLength(1);
    expect(orphansOf(facts({ queue: waiting(20_000) })).requeuedNodes).toHaveLength(1);
  });

  it('an active allocation that waits again was requeued: its jobs get a new attempt and do not fail', () => {
    const queue = new Map([[7, { state: 'queued' as const, word: 'PENDING', submittedAtMs: 11_000 }]]);
    const found = orphansOf(facts({ queue }));
    expect([found.requeued.length, found.deadNodes, found.requeuedNodes[0]?.cause]).toEqual([
      1,
      [],
      'allocation 7 was requeued',
    ]);
  });

  it('an allocation that its runner completed and that waits again was requeued; one that ended is left as it is', () => {
    const complete = { allocations: [{ recordId: 1, slurmJobId: 8, status: 'complete' }], nodes: [], running: [] };
    const queue = new Map([[8, { state: 'queued' as const, word: 'PENDING' }]]);
    expect(orphansOf(facts({ ...complete, queue })).requeued).toHaveLength(1);
    expect(orphansOf(facts(complete))).toMatchObject({ ended: [], gone: [], requeued: [] });
  });

  it('a pending allocation that vanished is gone, and one that waits is not', () => {
    const pending = { allocations: [{ recordId: 1, slurmJobId: 8, status: 'pending' }], nodes: [], running: [] };
    expect(orphansOf(facts(pending)).gone).toHaveLength(1);
    const queue = new Map([[8, { state: 'queued' as const, word: 'PENDING' }]]);
    expect(orphansOf(facts({ ...pending, queue })).gone).toEqual([]);
  });

  it('running jobs without any active runner are abandoned, and with one they are not', () => {
    const nodes = [{ id: 3, slurmJobId: undefined, run: {}, isActive: false, isHolder: false }];
    expect(orphansOf(facts({ allocations: [], nodes })).abandoned).toEqual([11]);
    const alive = [...nodes, { id: 4, slurmJobId: undefined, run: {}, isActive: true, isHolder: false }];
    expect(orphansOf(facts({ allocations: [], nodes: alive })).abandoned).toEqual([]);
  });

  it('one dead allocation does not touch the jobs of another that lives', () => {
    const found = orphansOf(
      facts({
        nodes: [
          { id: 3, slurmJobId: 7, run: RUN, isActive: true, isHolder: false },
          { id: 4, slurmJobId: 9, run: RUN, isActive: true, isHolder: false },
        ],
        running: [
          { id: 11, nodeId: 3 },
          { id: 12, nodeId: 4 },
        ],
        queue: new Map([ended(7, 'TIMEOUT'), running(9, 'COMPLETING')]),
      }),
    );
    expect(found.deadNodes.flatMap(({ jobIds }) => jobIds)).toEqual([11]);
  });
});
