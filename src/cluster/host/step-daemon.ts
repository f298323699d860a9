import { textOf } from './group-files.ts';

/** Users whose daemons of steps count: root, and the user of the process that asks, for a Slurm of its own. */
export const daemonUsersOf = (self: number | string, root = '/proc'): ReadonlySet<number> => {
  const own = realUserOf(self, root);
  return new Set(own === undefined ? [ROOT] : [ROOT, own]);
};

const ROOT = 0;

/**
 * The job in the title of a daemon of a step: `slurmstepd: [43.batch]`.
 *
 * Every user can start a program with this name and title, so that its processes are taken for those of another job. What counts is the real
 * user. The owner of /proc/PID is the effective one, which is root's also of `su` that waits for a password, under any name.
 */
export function jobOfDaemon(pid: number, users: ReadonlySet<number>, root = '/proc'): number | undefined {
  const job = /^slurmstepd: \[([1-9]\d{0,14})(?!\d)/.exec(textOf(`${root}/${pid}/cmdline`) ?? '')?.[1];
  const user = job === undefined ? undefined : realUserOf(pid, root);
  return user !== undefined && users.has(user) ? Number(job) : undefined;
}

/** `Uid:\treal\teffective\tsaved\tof the file system`. Source: proc_pid_status(5). */
export function realUserOf(pid: number | string, root = '/proc'): number | undefined {
  const user = /^Uid:\t(\d+)/m.exec(textOf(`${root}/${pid}/status`) ?? '')?.[1];
  return user === undefined ? undefined : Number(user);
}
