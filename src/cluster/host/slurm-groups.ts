import { textOf } from './group-files.ts';
import type { ProcessSample } from './proc.ts';
import { daemonUsersOf, jobOfDaemon } from './step-daemon.ts';

/** The Slurm job and step whose control group a process is in. */
export interface SlurmStep {
  readonly jobId: number;
  /** `batch`, `extern` or a number; empty where the path names none. */
  readonly step: string;
}

/**
 * The Slurm job in the lines of /proc/PID/cgroup, of both versions:
 * `5:freezer:/slurm/uid_7319/job_748468/step_0`, `0::/system.slice/slurmstepd.scope/job_139/step_batch/user/task_0`.
 *
 * Undefined where no line names one, and where what follows `job_` is no number of a job.
 */
export function slurmStepOf(cgroup: string): SlurmStep | undefined {
  const match = /\/job_([1-9]\d{0,14})(?:\/step_([^/\n]+))?(?:\/|$)/m.exec(namedByOthers(cgroup));
  return match === null ? undefined : { jobId: Number(match[1]), step: match[2] ?? '' };
}

/** Below the manager of a user (`user@1000.service`), that user makes groups of any name. */
const namedByOthers = (cgroup: string): string =>
  cgroup.includes('/user@') ? cgroup.replaceAll(/\/user@\d+\.service\/.*$/gm, '') : cgroup;

/** The job and step of a control group that Slurm names by another id of the job than its number. */
interface SluidStep {
  readonly sluid: string;
  readonly step: string;
}

/**
 * Slurm 26.05 with version 2: `0::/system.slice/slurmstepd.scope/sAKNM8HTYPFQ00/step_batch/user/task_special`. Undefined where the path is none
 * of these.
 */
export function sluidStepOf(cgroup: string): SluidStep | undefined {
  const match = /slurmstepd\.scope\/(s[\dA-Z]{13})(?:\/step_([^/\n]+))?(?:\/|$)/m.exec(namedByOthers(cgroup));
  return match === null ? undefined : { sluid: match[1] as string, step: match[2] ?? '' };
}

export interface Sluids {
  /** Looks for daemons of steps among all processes of the node: they are in the group of their step, and their titles name the job. */
  learn(processes: readonly ProcessSample[]): void;
  /** The job and step of a group, if a daemon of that job runs. */
  stepOf(cgroup: string): SlurmStep | undefined;
}

interface Daemon {
  readonly startTicks: number;
  readonly jobId: number | undefined;
  readonly sluid: string | undefined;
}

export function openSluids(root: string): Sluids {
  let daemons = new Map<number, Daemon>();
  let jobs = new Map<string, number>();
  const users = daemonUsersOf('self', root);
  const read = (pid: number, startTicks: number): Daemon => ({
    startTicks,
    jobId: jobOfDaemon(pid, users, root),
    sluid: sluidStepOf(textOf(`${root}/${pid}/cgroup`) ?? '')?.sluid,
  });
  return {
    learn(processes) {
      const found = new Map<number, Daemon>();
      for (const { pid, name, startTicks } of processes) {
        if (name !== 'slurmstepd') continue;
        const known = daemons.get(pid);
        // A young one has no title yet.
        const isKnown = known?.startTicks === startTicks && known.jobId !== undefined;
        found.set(pid, isKnown ? known : read(pid, startTicks));
      }
      daemons = found;
      jobs = new Map();
      for (const { jobId, sluid } of found.values())
        if (jobId !== undefined && sluid !== undefined) jobs.set(sluid, jobId);
    },
    stepOf(cgroup) {
      const group = sluidStepOf(cgroup);
      const jobId = group === undefined ? undefined : jobs.get(group.sluid);
      return group === undefined || jobId === undefined ? undefined : { jobId, step: group.step };
    },
  };
}
