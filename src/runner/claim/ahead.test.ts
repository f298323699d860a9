import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AheadJob } from '../../core/contract/exchange.ts';
import { createAheadJobs, type Parent } from './ahead.ts';

const job = (id: number, waits_for: number[]) => ({ id, waits_for }) as AheadJob;
const open = (): Parent => 'open';
const ids = (jobs: readonly { id: number }[]) => jobs.map(({ id }) => id);

describe('a job that was claimed ahead', () => {
  it('a job that was claimed ahead may start when the last job that it waits for has completed, and not before', () => {
    const ahead = createAheadJobs();
    ahead.add([job(3, [1, 2])], open);
    expect(ids(ahead.completed(1))).toEqual([]);
    expect(ids(ahead.completed(2))).toEqual([3]);
    expect(ahead.size).toBe(0);
  });

  it('a job that was claimed ahead is given back with all that wait for it when a job before it does not complete', () => {
    const ahead = createAheadJobs();
    ahead.add([job(2, [1]), job(3, [2]), job(4, [9])], open);
    expect(ahead.gone(1)).toEqual([2, 3]);
    expect(ahead.ids()).toEqual([4]);
  });

  it('a job that was claimed ahead starts at once when what it waits for completed while the answer was under way', () => {
    const ahead = createAheadJobs();
    const { free, gone } = ahead.add([job(2, [1]), job(3, [2])], (id) => (id === 1 ? 'completed' : 'gone'));
    expect([ids(free), gone, ahead.ids()]).toEqual([[2], [], [3]]);
  });

  it('a job that was claimed ahead is given back at once when what it waits for did not complete here', () => {
    const ahead = createAheadJobs();
    expect(ahead.add([job(2, [1]), job(3, [2])], () => 'gone')).toEqual({ free: [], gone: [2, 3] });
    expect(ahead.size).toBe(0);
  });

  it('a job that was claimed ahead is taken in once, however often it is assigned', () => {
    const ahead = createAheadJobs();
    ahead.add([job(2, [1])], open);
    ahead.add([job(2, [1])], open);
    expect(ids(ahead.completed(1))).toEqual([2]);
    expect(ahead.completed(1)).toEqual([]);
  });
});

it('whatever the order of ends, each job starts once after all that it waits for, or is given back once', () => {
  const graph = fc
    .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 2, maxLength: 30 })
    .map((raw) => raw.map((picks, at) => [...new Set(at === 0 ? [] : picks.map((pick) => pick % at))]));
  fc.assert(
    fc.property(graph, fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.boolean()), (edges, picks, verdicts) => {
      const ahead = createAheadJobs();
      const running = new Set(edges.flatMap((waitsFor, id) => (waitsFor.length === 0 ? [id] : [])));
      const waiting = edges.flatMap((waitsFor, id) => (waitsFor.length === 0 ? [] : [job(id, waitsFor)]));
      ahead.add(waiting, (id) => (running.has(id) ? 'open' : 'gone'));
      const completed = new Set<number>();
      const over = new Set<number>();
      while (running.size > 0) {
        const now = [...running];
        const id = now[(picks.next().value as number) % now.length] as number;
        running.delete(id);
        over.add(id);
        if (verdicts.next().value === true) {
          completed.add(id);
          for (const { id: next } of ahead.completed(id)) {
            expect((edges[next] as number[]).every((other) => completed.has(other))).toBe(true);
            expect(over.has(next) || running.has(next)).toBe(false);
            running.add(next);
          }
        } else {
          for (const lost of ahead.gone(id)) {
            expect(over.has(lost) || running.has(lost)).toBe(false);
            over.add(lost);
          }
        }
      }
      expect(over.size).toBe(edges.length);
      expect(ahead.size).toBe(0);
    }),
  );
});
