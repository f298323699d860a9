import { expect, it } from 'vitest';
import { queueReasonOf } from './queue-reason.ts';

it.each([
  ['PartitionTimeLimit', 'PartitionTimeLimit: it asks for more time than its partition allows', true],
  ['PartitionConfig', 'PartitionConfig: its partition does not have the nodes that it asks for', true],
  ['(JobHeldUser)', 'JobHeldUser: it is held: scontrol release lets it start', true],
  ['launch failed requeued held', /^launch failed requeued held: Slurm could not start it and holds it/, true],
  ['job requeued in held state', /scontrol release lets it try again$/, true],
  ['QOSMaxWallDurationPerJobLimit', /^QOSMaxWallDurationPerJobLimit: it asks for more than .* allows one job$/, true],
  ['AssocMaxCpuPerJobLimit', /allows one job$/, true],
  ['AssocGrpCpuLimit', /^AssocGrpCpuLimit: its account or QOS is at a limit/, false],
  ['QOSMaxJobsPerUserLimit', /at a limit until other jobs end$/, false],
  ['MaxJobsPerAccount', /at a limit until other jobs end$/, false],
  ['AssocGrpCPURunMinutesLimit', /at a limit until other jobs end$/, false],
  ['AssocGrpCPUMinutesLimit', /its account or QOS has used up its time$/, false],
  ['QOSGrpWallLimit', /has used up its time$/, false],
  ['AssocMaxCpuPerNode', /it asks for more on a node than/, true],
  ['QOSMaxNodePerUserLimit', /at a limit until other jobs end$/, false],
  ['QOSMinCpuNotSatisfied', /it asks for less than its QOS demands$/, true],
  ['MaxMemPerLimit', /more memory than its partition allows$/, true],
  ['AccountNotAllowed', /its partition does not take its account$/, true],
  ['None', 'None: Slurm has not looked at it yet', false],
  // Nodes that are drained come back.
  ['ReqNodeNotAvail', 'ReqNodeNotAvail', false],
  ['Priority', 'Priority: others come first', false],
  ['SomethingNew', 'SomethingNew', false],
])('an allocation that waits because of %s says so, and whether it ever starts', (reason, words, isFinal) => {
  const found = queueReasonOf(reason);
  expect(found.isFinal).toBe(isFinal);
  expect(found.words).toEqual(typeof words === 'string' ? words : expect.stringMatching(words));
});
