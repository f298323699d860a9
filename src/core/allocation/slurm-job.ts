import type { ScheduledComputeNode } from '../contract/allocation.ts';

/**
 * A job of Slurm as its programs accept it: its id, or `34_3` for a task of the job array 34.
 *
 * A task has an id of its own only after it started, and the id of one task is that of the whole array. So a task is
 * always named by its array and its number, and `scancel 34` is never meant.
 */
export type SlurmJob = number | string;

/** The job of an allocation. `scheduler_id` alone is the whole array until the task starts. */
export const jobOfAllocation = ({
  scheduler_id: id,
  array_job_id: array,
  array_task_id: task,
}: Pick<ScheduledComputeNode, 'scheduler_id' | 'array_job_id' | 'array_task_id'>): SlurmJob =>
  hasNumber(array) && hasNumber(task) ? `${array}_${task}` : id;

/** The jobs of these allocations that Slurm has not started, as the server knows it. */
export const jobsInQueue = (allocations: readonly ScheduledComputeNode[]): SlurmJob[] =>
  allocations.flatMap((each) =>
    each.status === 'pending' && each.scheduler_type === 'slurm' && each.scheduler_id > 0
      ? [jobOfAllocation(each)]
      : [],
  );

const hasNumber = (value: number | null | undefined): value is number => value !== undefined && value !== null;

/** What to ask squeue and sacct for: for tasks their arrays, because a task that was canceled while it waited is forgotten. */
export const wholeJobs = (jobs: readonly SlurmJob[]): number[] => [
  ...new Set(jobs.map((job) => (typeof job === 'number' ? job : Number(job.split('_')[0])))),
];

/**
 * The jobs that an id of squeue or sacct stands for: `37`, `34_3`, or for tasks that wait `34_[3-5,9]`, `34_[0-8:2%4]`.
 *
 * A heterogeneous job goes by the id of its first component, `26+0`: sbatch prints it, and the script runs there. Empty for any other text:
 * the other components, or a task list that squeue cut off.
 */
export function jobsOfId(text: string): SlurmJob[] {
  const id = text.trim();
  if (/^\d+(?:\+0)?$/.test(id)) return [Number.parseInt(id, 10)];
  if (/^\d+_\d+$/.test(id)) return [id];
  const match = /^(\d+)_\[([\d,:-]+)(?:%\d+)?\]$/.exec(id);
  if (match === null) return [];
  const [, array, list] = match as unknown as [string, string, string];
  return list.split(',').flatMap((range) => {
    const found = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(range);
    if (found === null) return [];
    const [first, last, step] = [Number(found[1]), Number(found[2] ?? found[1]), Number(found[3] ?? 1)];
    const tasks = Math.min(MOST_TASKS, Math.floor((last - first) / Math.max(1, step)) + 1);
    return Array.from({ length: Math.max(0, tasks) }, (_, at) => `${array}_${first + at * step}`);
  });
}

/** No array has more (`MaxArraySize`). A larger number is an error, which must not become a list of billions. */
const MOST_TASKS = 4_000_001;
