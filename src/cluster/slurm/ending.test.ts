import { expect, it } from 'vitest';
import { parseKillWait, restartsIn } from './ending.ts';

it('the time from SIGTERM to SIGKILL is read from the configuration of Slurm', () => {
  expect(
    parseKillWait(
      'KeepAliveTime           = SYSTEM_DEFAULT\nKillOnBadExit           = 0\nKillWait                = 30 sec\n',
    ),
  ).toBe(30);
});

it('a configuration without it tells nothing', () => {
  expect(parseKillWait('slurm_load_ctl_conf error: Unable to contact slurm controller')).toBeUndefined();
});

it('the restarts of a job are read from its description', () => {
  expect(restartsIn('JobId=7 JobName=a Requeue=1 Restarts=2 BatchFlag=1')).toBe(2);
});

it('a description without them counts none', () => {
  expect(restartsIn('')).toBe(0);
});
