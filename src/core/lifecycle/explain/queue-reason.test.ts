import { expect, it } from 'vitest';
import { couldNotStart, queueReasonOf } from './queue-reason.ts';

it.each([
  ['PartitionTimeLimit', 'PartitionTimeLimit: it asks for more time than its partition allows', true],
  ['PartitionConfig', 'PartitionConfig: its partition does not have the nodes that it asks for', true],
  ['(JobHeldUser)', 'JobHeldUser: it is held', true],
  ['launch failed requeued held', /^launch failed requeued held: Slurm could not start it and holds it/, true],
  ['job requeued in held state', /it was requeued and is held$/, true],
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
  ['ReqNodeNotAvail', 'ReqNodeNotAvail: a node that it asks for is down, drained or reserved', false],
  ['ReqNodeNotAvail, UnavailableNodes:n3', /UnavailableNodes:n3: a node that it asks for is down/, false],
  ['Priority', 'Priority: others come first', false],
  ['SomethingNew', 'SomethingNew', false],
])('an allocation that waits because of %s says so, and whether it ever starts', (reason, words, isFinal) => {
  const found = queueReasonOf(reason);
  expect(found.isFinal).toBe(isFinal);
  expect(found.words).toEqual(typeof words === 'string' ? words : expect.stringMatching(words));
});

it.each([
  'None',
  'Resources',
  'Priority',
  'Dependency',
  'BeginTime',
  'Licenses',
  'JobArrayTaskLimit',
  'QOSMaxJobsPerUserLimit',
  'AssocGrpCpuLimit',
  'AssocGrpCPURunMinutesLimit',
])('an allocation that waits because of %s waits as most do', (reason) => {
  expect(queueReasonOf(reason).isUsual).toBe(true);
});

it.each([
  'ReqNodeNotAvail, UnavailableNodes:n3',
  'PartitionNodeLimit',
  'BadConstraints',
  'DependencyNeverSatisfied',
  'JobHeldUser',
  'QOSMaxCpuPerJobLimit',
  'QOSMinCpuNotSatisfied',
  'AssocGrpCPUMinutesLimit',
  'QOSUsageThreshold',
  'SomethingNew',
  'Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions',
])(
  'an allocation that waits because of %s does not wait as most do: nothing says that this ends by itself',
  (reason) => {
    expect(queueReasonOf(reason).isUsual).toBe(false);
  },
);

it.each([
  ['launch failed requeued held', true, true],
  ['job requeued in held state', true, false],
  ['JobHeldUser', true, false],
  ['JobHoldMaxRequeue', true, false],
  ['JobHeldAdmin', false, false],
  ['Priority', false, false],
])('%s: its owner may release it (%s), because Slurm could not start it (%s)', (reason, isHeld, isFailure) => {
  expect([queueReasonOf(reason).isHeld, couldNotStart(reason)]).toEqual([isHeld, isFailure]);
});
