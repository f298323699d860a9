import { pause } from '../../client/long-timers.ts';
import type { Allocation } from '../../cluster/slurm/allocation.ts';
import { workflowId } from '../choose-workflow.ts';
import type { Command } from '../command.ts';
import { Failure } from '../failure.ts';
import { integer, number } from '../option.ts';
import { runWorkflow } from '../run-workflow.ts';
import { startDelaySeconds } from '../start-delay.ts';

const GIBIBYTE = 2 ** 30;

export const slurmRunner: Command = {
  words: 'run <url> <workflow> <output-dir>',
  isDefault: true,
  namesService: true,
  says: 'Run jobs of a workflow inside of a Slurm allocation, with what the allocation has, until it ends.',
  options: [
    {
      flags: '--max-parallel-jobs <n>',
      says: 'run so many jobs at once and ignore what they need',
      read: integer('--max-parallel-jobs', 1),
    },
    {
      flags: '-p, --poll-interval <s>',
      says: 'seconds between looks at the server when it tells nothing',
      setting: 'client.slurm.poll_interval',
      read: number('--poll-interval', 0.001),
    },
    {
      flags: '--claim-backoff-max-secs <s>',
      says: 'longest such pause while jobs run',
      setting: 'client.run.claim_backoff_max_secs',
      read: number('--claim-backoff-max-secs', 0),
    },
    {
      flags: '--label <label>',
      says: 'claim jobs whose labels are all among these; repeat or separate by commas',
      many: true,
    },
    {
      flags: '--persistent',
      says: 'stay while a job is left that has not ended and whose labels it covers, even when idle',
    },
    { flags: '--is-subtask', says: 'one of several runners in the allocation: SLURM_CPUS_PER_TASK says its share' },
    {
      flags: '--startup-delay-seconds <s>',
      says: 'wait up to so long first, so that many runners do not begin at once',
      default: 0,
      read: number('--startup-delay-seconds', 0),
    },
  ],
  async run(context, [, workflow, outputDir], options) {
    const { environment, output } = context;
    const { allocationOf, endOfAllocation } = await import('../../cluster/slurm/allocation.ts');
    const allocation = allocationOf(environment);
    if (allocation === undefined)
      throw new Failure(
        'SLURM_JOB_ID is not set: this program runs inside of a Slurm allocation; elsewhere use torc run',
      );
    const id = workflowId(workflow);
    const who = `${allocation.jobId}.${allocation.nodeId}.${allocation.taskPid}`;
    const delaySeconds = startDelaySeconds(options['startupDelaySeconds'] as number, who);
    await pause(delaySeconds * 1000);

    const endAtMs = await endOfAllocation(allocation, environment, Date.now()).catch((cause: Error) => {
      throw new Failure(
        `when allocation ${allocation.jobId} ends is not known: ${cause.message}. Set SLURM_JOB_END_TIME, in Unix seconds, where squeue cannot be asked.`,
        { cause },
      );
    });
    const { cpus, memoryBytes } =
      options['isSubtask'] === true ? shareOf(allocation, environment['SLURM_CPUS_PER_TASK']) : allocation;
    const summary = await runWorkflow(
      context,
      id,
      {
        ...options,
        outputDir,
        numCpus: cpus,
        memoryGb: memoryBytes === undefined ? undefined : memoryBytes / GIBIBYTE,
        ...(endAtMs === undefined ? {} : { endTime: new Date(endAtMs).toISOString() }),
      },
      {
        computeNodeType: 'slurm',
        scheduler: {
          type: 'slurm',
          slurm_job_id: String(allocation.jobId),
          slurm_node_id: allocation.nodeId,
          slurm_task_pid: allocation.taskPid,
        },
      },
    );
    const { ending, reason, tally } = summary;
    output.notice(
      `Runner ended (${ending}): ${tally.completed} completed, ${tally.failed} failed, ${tally.terminated} terminated${reason === undefined ? '' : `; ${reason}`}`,
    );
    const { isBroken } = await import('../summary.ts');
    if (isBroken(summary)) context.exitWith(1);
  },
};

/** What one of several runners on the node may use: its CPUs, and the same part of the memory. */
function shareOf(allocation: Allocation, cpusPerTask: string | undefined): Pick<Allocation, 'cpus' | 'memoryBytes'> {
  const { cpus, memoryBytes } = allocation;
  const own = Number(cpusPerTask);
  if (cpus === undefined || !(own > 0)) return { cpus, memoryBytes };
  return { cpus: own, memoryBytes: memoryBytes === undefined ? undefined : Math.floor((memoryBytes * own) / cpus) };
}
