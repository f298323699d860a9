import { expect, it } from 'vitest';
import { queueLines, stuckAllocations } from './queue-lines.ts';

const waits = (slurmJobId: number | `${number}_${number}`, reason: string) => ({
  slurmJobId,
  reason,
  hasEnded: false,
});
const inQueue = (...queued: ReturnType<typeof waits>[]) => queueLines({ queued, id: 1, working: 0 }, String);
const linesOf = (...queued: ReturnType<typeof waits>[]) => stuckAllocations(queued).map(({ line }) => line);

it('an allocation that is held has the command that releases it and the one that gives it up', () => {
  const line =
    'Allocation 7 does not start as requested (JobHeldUser: it is held). To let it start: scontrol release 7. To give up: scancel 7';
  expect(linesOf(waits(7, 'JobHeldUser'))).toEqual([line]);
  expect(inQueue(waits(7, 'JobHeldUser'))).toEqual([line]);
  expect(linesOf(waits(7, 'launch failed requeued held'))[0]).toContain('To let it start: scontrol release 7.');
});

it('an allocation that only an administrator can release, or that asks for too much, has no such command', () => {
  for (const reason of ['JobHeldAdmin', 'PartitionNodeLimit', 'QOSMinCpuNotSatisfied'])
    expect(linesOf(waits(7, reason))[0]).toMatch(
      /^Allocation 7 does not start as requested \([^)]*\)\. To give up: scancel 7$/,
    );
});

it('an allocation that waits for a node that is down is reported with the reason of Slurm, and one that waits for its turn is not', () => {
  const down = 'ReqNodeNotAvail, UnavailableNodes:n3';
  expect(linesOf(waits(7, down))).toEqual([
    `Allocation 7 waits in the queue of Slurm (${down}: a node that it asks for is down, drained or reserved)`,
  ]);
  expect(linesOf(waits(7, 'Priority'), waits(8, 'Resources'), waits(9, 'None'))).toEqual([]);
  expect(inQueue(waits(7, 'Priority'))).toEqual([
    'Allocation 7 waits in the queue of Slurm (Priority: others come first)',
  ]);
});

it('the same reason with other nodes is the same news, and tasks of an array have one line together', () => {
  const keyOf = (nodes: string) => stuckAllocations([waits(7, `ReqNodeNotAvail, UnavailableNodes:${nodes}`)])[0]?.key;
  expect(keyOf('n3')).toBe(keyOf('n[3-4]'));
  expect(linesOf(waits('7_0', 'JobHeldUser'), waits('7_1', 'JobHeldUser'))).toEqual([
    'Allocations 7_0, 7_1 do not start as requested (JobHeldUser: it is held). To let them start: scontrol release 7_0 7_1. To give up: scancel 7_0 7_1',
  ]);
});
