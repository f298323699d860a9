import { expect, it, test } from 'vitest';
import {
  isPreempted,
  jobLine,
  licensesOfJob,
  openScontrol,
  parseArraySize,
  parseGranted,
  parseManner,
  restartsIn,
} from './scontrol.ts';

it('the time from SIGTERM to SIGKILL is read from the configuration of Slurm', () => {
  expect(
    parseManner(
      'KeepAliveTime           = SYSTEM_DEFAULT\nKillOnBadExit           = 0\nKillWait                = 30 sec\n',
    ),
  ).toEqual({ killWaitSeconds: 30, isOneByOne: false, reachesAll: false });
});

it('a configuration without it says nothing', () => {
  expect(parseManner('slurm_load_ctl_conf error: Unable to contact slurm controller')).toEqual({
    killWaitSeconds: undefined,
    isOneByOne: false,
    reachesAll: false,
  });
});

it.each([
  ['proctrack/linuxproc', true],
  ['proctrack/pgid', true],
  ['proctrack/cgroup', false],
])('with %s, processes of a job are killed one by one: %s', (type, isOneByOne) => {
  expect(parseManner(`ProctrackType           = ${type}\n`)).toMatchObject({ isOneByOne });
});

it('the restarts of a job are read from its description', () => {
  expect(restartsIn('JobId=7 JobName=a Requeue=1 Restarts=2 BatchFlag=1')).toBe(2);
});

it('a description without them counts none', () => {
  expect(restartsIn('')).toBe(0);
});

it.each([
  ['JobId=7 JobState=PREEMPTED Reason=None', true],
  ['JobId=7 JobState=NODE_FAIL Reason=NodeDown', true],
  ['JobId=7 JobState=RUNNING PreemptEligibleTime=2026-03-01T10:00:00 PreemptTime=2026-03-01T12:00:00', true],
  ['JobId=7 JobState=RUNNING PreemptEligibleTime=2026-03-01T10:00:00 PreemptTime=None', false],
  ['JobId=7 JobState=CANCELLED Reason=None', false],
  ['', false],
])('an allocation with %j lost its nodes: %s', (text, expected) => {
  expect(isPreempted(text)).toBe(expected);
});

it('scontrol shows all tasks of an array for the task that has its id, and the line of that task is read', () => {
  const text = 'JobId=17 ArrayJobId=17 ArrayTaskId=2 Restarts=0\nJobId=19 ArrayJobId=17 ArrayTaskId=1 Restarts=1\n';
  expect([restartsIn(jobLine(17, text)), restartsIn(jobLine(19, text))]).toEqual([0, 1]);
  expect(jobLine(7, 'what another program prints')).toBe('what another program prints');
});

const MIB = 2 ** 20;
const job = (...fields: string[]) => `JobId=9 NumNodes=2 ${fields.join(' ')} Features=(null)`;

test.each([
  ['per CPU', job('TRES=cpu=8,mem=8000M,node=2,billing=8', 'MinCPUsNode=1 MinMemoryCPU=1000M'), 4000],
  ['per node', job('TRES=cpu=8,mem=4000M,node=2', 'MinMemoryNode=2000M'), 2000],
  ['all of it', job('TRES=cpu=8,mem=8000M,node=2', 'MinMemoryNode=0'), 4000],
  ['in gigabytes', job('AllocTRES=cpu=8,mem=7.50G,node=2'), 3840],
  ['as a number', job('MinMemoryNode=512'), 512],
])('the memory of an allocation that is granted %s is that of one node', (_, text, mebibytes) => {
  expect(parseGranted(text, { cpus: 4, nodes: 2 })).toBe(mebibytes * MIB);
});

test.each(['', 'JobId=9 MinMemoryNode=0', 'slurm_load_jobs error', job('TRES=cpu=8,node=2')])(
  'nothing is guessed from "%s"',
  (text) => {
    expect(parseGranted(text, { cpus: 4, nodes: 2 })).toBeUndefined();
  },
);

test.each([
  ['MaxArraySize            = 1001\nMaxDBDMsgs = 20008', 1001],
  ['MaxArraySize            = 0', 1],
  ['MaxJobCount             = 10000', 1],
  ['', 1],
])('the configuration %j of Slurm allows arrays of %d tasks', (text, tasks) => {
  expect(parseArraySize(text)).toBe(tasks);
});

it('a list of nodes without brackets needs no program, and one with brackets is expanded by scontrol', async () => {
  const asked: string[] = [];
  const { hostnames } = openScontrol(async (program, args) => {
    asked.push([program, ...args].join(' '));
    return 'n1\nn2\n';
  });
  expect(await hostnames('n1')).toEqual(['n1']);
  expect(await hostnames('')).toEqual([]);
  expect(asked).toEqual([]);
  expect(await hostnames('n[1-2]')).toEqual(['n1', 'n2']);
  expect(asked).toEqual(['scontrol show hostnames n[1-2]']);
});

it('a held job, or a held task of an array, is released by its name', async () => {
  const asked: unknown[] = [];
  const scontrol = openScontrol(async (program, args) => {
    asked.push([program, ...args]);
    return '';
  });
  await scontrol.release(34);
  await scontrol.release('34_3');
  expect(asked).toEqual([
    ['scontrol', 'release', '34'],
    ['scontrol', 'release', '34_3'],
  ]);
});

// As Slurm 22.05.8 printed them, and the forms that sbatch(1) names for others.
it.each([
  [
    'JobId=3 JobName=a OverSubscribe=OK Contiguous=0 Licenses=ansys@srv:2,matlab:1 Network=(null)',
    { 'ansys@srv': 2, matlab: 1 },
  ],
  ['JobId=3 Licenses=matlab Network=(null)', { matlab: 1 }],
  ['JobId=3 Licenses=matlab:2|octave:1 Network=(null)', { matlab: 2, octave: 1 }],
  ['JobId=3 Licenses=(null) Network=(null)', {}],
  ['JobId=3 JobName=a', {}],
])('the licenses in "%s" are %j', (line, licenses) => {
  expect(licensesOfJob(line)).toEqual(licenses);
});
