import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AllocationState } from '../../core/allocation/allocation-end.ts';
import { slurmRunFields } from '../../core/allocation/run-fields.ts';
import { decideOrphans, type Records, type SlurmFacts } from './find.ts';

/** What Slurm did with an allocation, by its own clock, in whole seconds from each event to the next. */
const history = fc.record({
  submittedSeconds: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
  waitSeconds: fc.nat(100_000),
  /** Until the question; the allocation was requeued meanwhile, or not. */
  sinceSeconds: fc.integer({ min: 1, max: 100_000 }),
  now: fc.constantFrom(
    'runs',
    'was requeued and waits',
    'was requeued and runs',
    'the controller forgot the start',
    'ended',
  ),
});

/** How far the clock of the node is ahead of that of Slurm, in seconds; up to ten years. */
const ahead = fc.integer({ min: -315_360_000, max: 315_360_000 });

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

function recordsOf({ submittedSeconds, waitSeconds }: History, aheadSeconds: number, isRegistered: boolean): Records {
  const startedSeconds = submittedSeconds + waitSeconds;
  const run = { submittedAtMs: submittedSeconds * 1000, startedAtMs: startedSeconds * 1000, restarts: 0 };
  const node = {
    id: 3,
    workflow_id: 1,
    hostname: 'n1',
    pid: 1,
    start_time: new Date((startedSeconds + aheadSeconds) * 1000).toISOString(),
    is_active: true,
    num_cpus: 1,
    memory_gb: 1,
    num_gpus: 0,
    num_nodes: 1,
    compute_node_type: 'slurm',
    scheduler: { slurm_job_id: '7', slurm_node_id: 0, slurm_task_pid: 1, ...(isRegistered ? slurmRunFields(run) : {}) },
  };
  return { allocations: [], nodes: [node], running: [] };
}

function slurmOf({ submittedSeconds, waitSeconds, sinceSeconds, now }: History): SlurmFacts {
  const startedSeconds = submittedSeconds + waitSeconds;
  const againSeconds = startedSeconds + sinceSeconds;
  const state: AllocationState = {
    runs: {
      state: 'running' as const,
      word: 'RUNNING',
      submittedAtMs: submittedSeconds * 1000,
      startedAtMs: startedSeconds * 1000,
    },
    'was requeued and waits': { state: 'queued' as const, word: 'PENDING', submittedAtMs: againSeconds * 1000 },
    'was requeued and runs': {
      state: 'running' as const,
      word: 'RUNNING',
      submittedAtMs: againSeconds * 1000,
      startedAtMs: (againSeconds + 21) * 1000,
    },
    'the controller forgot the start': {
      state: 'queued' as const,
      word: 'PENDING',
      submittedAtMs: submittedSeconds * 1000,
    },
    ended: { state: 'ended' as const, word: 'NODE_FAIL' },
  }[now] as AllocationState;
  return { queue: new Map([[7, state]]), account: undefined, left: new Map(), faults: [], replies: [] };
}

const verdict = (records: Records, facts: SlurmFacts) => {
  const { deadNodes, requeuedNodes } = decideOrphans(records, facts);
  return deadNodes.length > 0 ? 'ended' : requeuedNodes.length > 0 ? 'requeued' : 'alive';
};

it('what is decided about the runner of an allocation is what Slurm did with it, however wrong the clock of its node is', () => {
  fc.assert(
    fc.property(history, ahead, (past, aheadSeconds) => {
      const truth = past.now === 'ended' ? 'ended' : past.now.startsWith('was requeued') ? 'requeued' : 'alive';
      expect(verdict(recordsOf(past, aheadSeconds, true), slurmOf(past))).toBe(truth);
    }),
  );
});

it('of a runner that did not register the times of its allocation, only the end of the allocation is proven', () => {
  fc.assert(
    fc.property(history, ahead, (past, aheadSeconds) => {
      expect(verdict(recordsOf(past, aheadSeconds, false), slurmOf(past))).toBe(
        past.now === 'ended' ? 'ended' : 'alive',
      );
    }),
  );
});
