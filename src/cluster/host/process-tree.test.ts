import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProcessSample } from './proc.ts';
import { useByRoot } from './process-tree.ts';

const sample = (pid: number, parentPid: number, sessionId: number): ProcessSample => ({
  pid,
  parentPid,
  groupId: sessionId,
  sessionId,
  state: 'S',
  name: 'bash',
  threads: 1,
  startTicks: 1,
  cpuSeconds: 1,
  waitedCpuSeconds: 0,
  residentBytes: 1000,
});

/** The processes of each job. */
const owned = (processes: readonly ProcessSample[], ...roots: number[]) =>
  Object.fromEntries(
    [...useByRoot(processes, new Set(roots))].map(([root, { members }]) => [root, members.map(({ pid }) => pid)]),
  );

describe('the use of a job', () => {
  it('the use of a job is the sum over all processes of its session', () => {
    const processes = [sample(10, 1, 10), sample(11, 10, 10), sample(12, 11, 10), sample(99, 1, 99)];
    expect(useByRoot(processes, new Set([10]))).toEqual(
      new Map([[10, { members: processes.slice(0, 3), cpuSeconds: 3, residentBytes: 3000 }]]),
    );
  });

  it('a process of its session whose parents have ended is included', () => {
    expect(owned([sample(10, 1, 10), sample(12, 1, 10)], 10)).toEqual({ 10: [10, 12] });
  });

  it('a process with its own session is included with its descendants, as long as it has its parents', () => {
    const processes = [sample(10, 1, 10), sample(11, 10, 11), sample(12, 11, 11)];
    expect(owned(processes, 10)).toEqual({ 10: [10, 11, 12] });
    expect(owned([processes[0] as ProcessSample, sample(12, 1, 11)], 10)).toEqual({ 10: [10] });
  });

  it('the use is reported also when the first process has ended and others continue', () => {
    expect(owned([sample(11, 1, 10)], 10)).toEqual({ 10: [11] });
  });

  it('the time of ended children that their parent waited for is included', () => {
    const processes = [{ ...sample(10, 1, 10), waitedCpuSeconds: 40 }, sample(11, 10, 10)];
    expect(useByRoot(processes, new Set([10])).get(10)?.cpuSeconds).toBe(42);
  });

  it('a process that the caller assigns to the job is included with its descendants; the caller is not asked about others', () => {
    const processes = [sample(10, 1, 10), sample(20, 1, 20), sample(21, 20, 21), sample(30, 1, 30)];
    const asked: number[] = [];
    const uses = useByRoot(processes, new Set([10]), ({ pid }) => {
      asked.push(pid);
      return pid === 20 ? 10 : undefined;
    });
    expect(uses.get(10)?.members.map(({ pid }) => pid)).toEqual([10, 20, 21]);
    expect(asked).toEqual([20, 30]);
  });

  it('each job has its own use, without processes that belong to no job', () => {
    const processes = [sample(1, 0, 1), sample(5, 1, 5), sample(10, 5, 10), sample(20, 5, 20), sample(21, 20, 20)];
    expect(owned(processes, 10, 20)).toEqual({ 10: [10], 20: [20, 21] });
    expect(owned(processes)).toEqual({});
  });

  it('the use is found also when reused ids form a circle of parents', () => {
    expect(owned([sample(30, 31, 30), sample(31, 30, 31), sample(10, 1, 10)], 10)).toEqual({ 10: [10] });
    expect(owned([sample(30, 30, 30), sample(10, 1, 10)], 10)).toEqual({ 10: [10] });
  });

  it('each process is counted once, for any table in any order', () => {
    const id = fc.integer({ min: 1, max: 12 });
    const table = fc.uniqueArray(fc.tuple(id, id, id), { selector: ([pid]) => pid });
    fc.assert(
      fc.property(table, fc.uniqueArray(id), (rows, roots) => {
        const processes = rows.map(([pid, parent, session]) => sample(pid, parent, session));
        const uses = [...useByRoot(processes, new Set(roots))];
        const counted = uses.flatMap(([, { members }]) => members.map(({ pid }) => pid));
        expect(new Set(counted).size).toBe(counted.length);
        for (const [root, { members, cpuSeconds }] of uses) {
          expect(roots).toContain(root);
          expect(cpuSeconds).toBe(members.length);
        }
        for (const { pid, sessionId } of processes) if (roots.includes(sessionId)) expect(counted).toContain(pid);
      }),
    );
  });
});
