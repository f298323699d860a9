import { expect, it } from 'vitest';
import { isPreempted, jobLine, parseManner, restartsIn } from './ending.ts';

it('the time from SIGTERM to SIGKILL is read from the configuration of Slurm', () => {
  expect(
    parseManner(
      'KeepAliveTime           = SYSTEM_DEFAULT\nKillOnBadExit           = 0\nKillWait                = 30 sec\n',
    ),
  ).toEqual({ killWaitSeconds: 30, isOneByOne: false });
});

it('a configuration without it tells nothing', () => {
  expect(parseManner('slurm_load_ctl_conf error: Unable to contact slurm controller')).toEqual({
    killWaitSeconds: undefined,
    isOneByOne: false,
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
