import { describe, expect, it } from 'vitest';
import type { Need, Want } from '../../core/contract/exchange.ts';
import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import type { ClaimableClass, WaitingJob } from './merge.ts';
import { fitsOffer, isBoundTo, pack, placesOf } from './offer.ts';

const GIBIBYTE = 2 ** 30;
const need = (over: Partial<Need> = {}): Need => ({
  num_cpus: 1,
  memory_bytes: GIBIBYTE,
  num_gpus: 0,
  num_nodes: 1,
  runtime_seconds: 60,
  ...over,
});
const kind = (over: Partial<JobKind> = {}): JobKind => ({ labels: [], schedulerId: null, need: need(), ...over });
const offer = { num_cpus: 4, memory_gb: 4, num_gpus: 0, num_nodes: 1 };
const want: Want = { limit: 10, prefetch: 0, offer };

describe('which kinds of jobs an offer can take', () => {
  it.each([
    ['a job that fits is taken', {}, kind(), true],
    ['a job with more CPUs than are offered is left', {}, kind({ need: need({ num_cpus: 5 }) }), false],
    ['a job with a label that the runner lacks is left', {}, kind({ labels: ['gpu'] }), false],
    ['a job whose label the runner has is taken', { labels: ['gpu'] }, kind({ labels: ['gpu'] }), true],
    ['a job that outlives the offer is left', { time_limit: 'PT30S' }, kind(), false],
    ['a job that ends with the offer is taken', { time_limit: 'PT60S' }, kind(), true],
  ])('%s', (_words, over, job, expected) => {
    expect(fitsOffer(want, { ...offer, ...over })(job)).toBe(expected);
  });

  it('a job that fits the empty node alone is taken only ahead', () => {
    const capacity = { num_cpus: 8, memory_gb: 8, num_gpus: 0 };
    const wide = kind({ need: need({ num_cpus: 8 }) });
    expect(fitsOffer({ ...want, capacity }, offer)(wide)).toBe(false);
    expect(fitsOffer({ ...want, capacity, prefetch: 1 }, offer)(wide)).toBe(true);
  });

  it('a time limit that cannot be read is refused with its field', () => {
    expect(() => fitsOffer(want, { ...offer, time_limit: 'soon' })).toThrow('Invalid time_limit');
  });

  it('a job of another scheduler is not bound to this one; a job of none is', () => {
    const isBound = isBoundTo({ ...offer, scheduler_config_id: 3 });
    expect([3, null, 4].map((schedulerId) => isBound(kind({ schedulerId })))).toEqual([true, true, false]);
  });
});

describe('packing ready jobs into an offer', () => {
  const waiting = (ids: number[]): WaitingJob[] => ids.map((id) => ({ id, priority: 0 }));
  const classOf = (id: number, jobs: number[], cpus: number): ClaimableClass & { jobs: number[] } => ({
    id,
    ...kind({ need: need({ num_cpus: cpus }) }),
    head: waiting(jobs)[0] as WaitingJob,
    jobs,
  });
  const packed = (classes: ReturnType<typeof classOf>[], limit: number, prefetch: number) =>
    pack(
      classes,
      { limit, prefetch },
      { free: placesOf(want, offer).room(), within: undefined },
      (classId, count, offset) =>
        waiting((classes.find(({ id }) => id === classId)?.jobs ?? []).slice(offset, offset + count)),
    ).map(({ id }) => id);

  it('jobs are taken until the room is full, and as many more as are wanted ahead', () => {
    const classes = [classOf(1, [1, 2, 3], 2)];
    expect(packed(classes, 10, 0)).toEqual([1, 2]);
    expect(packed(classes, 10, 1)).toEqual([1, 2, 3]);
    expect(packed(classes, 1, 0)).toEqual([1]);
  });

  it('a narrow job is taken where a wide one does not fit any more', () => {
    expect(packed([classOf(1, [1, 2], 3), classOf(2, [3], 1)], 10, 0)).toEqual([1, 3]);
  });
});
