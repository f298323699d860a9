import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createEvidence } from './slurm-evidence.ts';

interface Sketch {
  readonly parent?: number;
  readonly name?: string;
  readonly title?: string;
  readonly cgroup?: string;
  readonly environment?: string;
  /** The real user, and the effective one; both are root's if absent. */
  readonly user?: readonly [number, number];
}

/** A folder with the layout of /proc; process 10 asks. */
function evidenceIn(processes: Readonly<Record<number, Sketch>>) {
  const root = temporaryFolder();
  for (const [pid, sketch] of Object.entries(processes)) {
    const { parent = 1, name = 'bash', title = '', cgroup = '0::/', environment = '', user = [0, 0] } = sketch;
    const fields = [pid, `(${name})`, 'S', parent, pid, pid, ...Array<number>(15).fill(0), 100, 0, 1];
    mkdirSync(join(root, pid));
    writeFileSync(join(root, pid, 'stat'), `${fields.join(' ')}\n`);
    writeFileSync(join(root, pid, 'cmdline'), title);
    writeFileSync(join(root, pid, 'cgroup'), `${cgroup}\n`);
    writeFileSync(join(root, pid, 'environ'), `${environment}\0`);
    writeFileSync(join(root, pid, 'status'), `Name:\t${name}\nUid:\t${user.join('\t')}\t0\t0\n`);
  }
  return createEvidence({ self: 10, root });
}

const environment = ['PATH=/bin', 'SLURM_JOB_ID=42'];

describe('the evidence of the Slurm job in which a process runs', () => {
  it.each(['5:freezer:/slurm/uid_7/job_43/step_0', '0::/system.slice/slurmstepd.scope/job_43/step_batch/user/task_0'])(
    'the control group %s names it',
    (cgroup) => {
      const evidence = evidenceIn({ 10: { environment: 'SLURM_JOB_ID=42' }, 11: { cgroup } });
      expect(evidence(11, environment)).toEqual({ group: '43', ancestor: undefined, variable: '42' });
    },
  );

  it('the nearest slurmstepd among the ancestors names it, until the process loses its parents', () => {
    const evidence = evidenceIn({
      10: {},
      20: { name: 'slurmstepd', title: 'slurmstepd: [43.batch]\0\0' },
      21: { parent: 20 },
      22: { parent: 21 },
      30: { parent: 1 },
    });
    expect(evidence(22, [])).toEqual({ group: undefined, ancestor: '43', variable: undefined });
    expect(evidence(30, [])).toEqual({ group: undefined, ancestor: undefined, variable: undefined });
  });

  it('nothing names it for a process that has ended, and a circle of parents ends the search', () => {
    const evidence = evidenceIn({ 10: {}, 11: { parent: 12 }, 12: { parent: 11 } });
    const none = { group: undefined, ancestor: undefined, variable: undefined };
    expect([evidence(99, []), evidence(11, [])]).toEqual([none, none]);
  });

  it('control groups and ancestors of a Slurm around that of the runner do not count', () => {
    const outer = { cgroup: '0::/system.slice/slurmstepd.scope/job_777/step_0', parent: 5 };
    const evidence = evidenceIn({
      5: { name: 'slurmstepd', title: 'slurmstepd: [777.0]\0' },
      10: { ...outer, environment: 'SLURM_JOB_ID=42' },
      11: outer,
    });
    expect(evidence(11, environment)).toEqual({ group: undefined, ancestor: undefined, variable: '42' });
  });

  it('control groups and ancestors of the own Slurm job count', () => {
    const own = { cgroup: '0::/system.slice/slurmstepd.scope/job_42/step_0', parent: 5 };
    const evidence = evidenceIn({
      5: { name: 'slurmstepd', title: 'slurmstepd: [42.0]\0' },
      10: { ...own, environment: 'SLURM_JOB_ID=42' },
      11: own,
    });
    expect(evidence(11, [])).toEqual({ group: '42', ancestor: '42', variable: undefined });
  });

  it('a program of a user that has the name and the title of slurmstepd does not count, and the daemon above it does', () => {
    const user = [1000, 1000] as const;
    const evidence = evidenceIn({
      5: { name: 'slurmstepd', title: 'slurmstepd: [42.0]\0' },
      10: { parent: 5, environment: 'SLURM_JOB_ID=42', user },
      20: { parent: 10, name: 'slurmstepd', title: 'slurmstepd: [43.0]\0', user },
      21: { parent: 20, user },
      // `su` under this name waits for a password as root.
      30: { parent: 10, name: 'slurmstepd', title: 'slurmstepd: [43.0]\0', user: [1000, 0] },
      31: { parent: 30, user },
    });
    expect([evidence(21, []).ancestor, evidence(31, []).ancestor]).toEqual(['42', '42']);
  });

  it('the daemon of a Slurm of the own user counts where the runner is below one', () => {
    const user = [1000, 1000] as const;
    const evidence = evidenceIn({
      5: { name: 'slurmstepd', title: 'slurmstepd: [42.0]\0', user },
      6: { name: 'slurmstepd', title: 'slurmstepd: [43.0]\0', user },
      10: { parent: 5, environment: 'SLURM_JOB_ID=42', user },
      11: { parent: 6, user },
    });
    expect(evidence(11, environment).ancestor).toBe('43');
  });

  it('groups that a user made below his own manager name no job', () => {
    const cgroup = '0::/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_43/step_0/user';
    const evidence = evidenceIn({ 10: {}, 11: { cgroup } });
    expect(evidence(11, []).group).toBeUndefined();
  });

  describe('where Slurm names control groups by another id of the job than its number (26.05.3)', () => {
    const groupOf = (sluid: string) =>
      `6:freezer:/\n0::/system.slice/slurmstepd.scope/${sluid}/step_0/user/task_special`;
    const runner = {
      cgroup: groupOf('sAKNM8HTYPFQ00'),
      environment: 'SLURM_JOB_ID=42\0SLURM_JOB_SLUID=sAKNM8HTYPFQ00',
    };

    it('a process in a group of the job of the runner belongs to it, also without variables and parents', () => {
      const evidence = evidenceIn({ 10: runner, 11: { cgroup: groupOf('sAKNM8HTYPFQ00') } });
      expect(evidence(11, [])).toEqual({ group: '42', ancestor: undefined, variable: undefined });
    });

    it('a process of another job does not, whatever its variables say', () => {
      const evidence = evidenceIn({ 10: runner, 11: { cgroup: groupOf('s83DM8J1533M00') } });
      expect(evidence(11, environment).group).toBe('s83DM8J1533M00');
    });

    it('groups of a Slurm around that of the runner do not count', () => {
      const inner = { ...runner, environment: 'SLURM_JOB_ID=42\0SLURM_JOB_SLUID=s83DM8J1533M00' };
      const evidence = evidenceIn({ 10: inner, 11: { cgroup: groupOf('sAKNM8HTYPFQ00') } });
      expect(evidence(11, environment)).toEqual({ group: undefined, ancestor: undefined, variable: '42' });
    });
  });
});
