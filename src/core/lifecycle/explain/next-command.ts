/** How jobs of a workflow run: in allocations that torc submits, in those of a person's scripts, on hosts by ssh, or anywhere. */
export type RunsIn = 'allocations' | 'scripts' | 'hosts' | 'anywhere';

/** Whether an action that submits allocations is due, was executed or waits, or does not exist. */
export type SubmissionState = 'due' | 'done' | 'none';

export interface RunPlace {
  readonly workflowId: number;
  readonly runsIn: RunsIn;
  readonly submission: SubmissionState;
}

/** Where a workflow runs, as far as nothing says. */
export const anywhere = (workflowId: number): RunPlace => ({ workflowId, runsIn: 'anywhere', submission: 'none' });

export interface RunNeeds {
  /** The labels that the runner needs. */
  readonly labels?: readonly string[];
  /** Jobs that have ended are to run again: those that were interrupted, or those that failed as well. */
  readonly again?: '--resume' | '--retry-failed';
  readonly isCanceled?: boolean;
  /** Runners are active, and can never take these jobs: recovery is refused while they are. */
  readonly hasRunners?: boolean;
  /** Runners or allocations of the workflow are left, as after its end, until they leave. */
  readonly isAlive?: boolean;
}

/** What recovers a workflow. A recovery is refused while runners or allocations of it are left; a watch waits for their end. */
export const recoverCommand = (workflowId: number, isAlive: boolean): string =>
  isAlive ? `torc watch ${workflowId} --recover` : `torc recover ${workflowId}`;

/**
 * What a person does next so that jobs of a workflow run: a command, or a sentence with commands.
 *
 * Jobs of allocations never get `torc run`, which would run them on the machine where it is called: a login node. Runners that torc
 * submits have no labels, so for jobs with labels a script is needed.
 */
export function nextCommand({ workflowId: id, runsIn, submission }: RunPlace, need: RunNeeds = {}): string {
  const { labels = [], again, isCanceled = false, hasRunners = false, isAlive = false } = need;
  const words = labels.map((label) => ` --label ${label}`).join('');
  if (runsIn === 'hosts') return `torc remote run ${id}`;
  if (runsIn === 'anywhere') return `torc run ${id}${again === undefined ? '' : ` ${again}`}${words}`;
  const reset = `torc workflows reset-status ${id} --failed-only --reinitialize`;
  const isByHand = runsIn === 'scripts' || labels.length > 0;
  if (isByHand) {
    const script = `submit to the batch system a script that starts torc-slurm-job-runner for workflow ${id}${words}`;
    return again === undefined ? script : `${reset}, then ${script}`;
  }
  if (isCanceled) return `${reset}, then torc recover ${id}`;
  if (hasRunners) return `torc slurm regenerate ${id} --submit`;
  if (again !== undefined || submission === 'done') return recoverCommand(id, isAlive);
  return submission === 'due' ? `torc submit ${id}` : `torc slurm schedule-nodes ${id}`;
}
