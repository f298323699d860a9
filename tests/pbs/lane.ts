import { processesWhere } from '../../src/cluster/host/marked.ts';
import { type BatchLane, openBatchLane } from '../support/batch-lane.ts';
import { until } from '../support/programs.ts';
import { type PbsCluster, type PbsOptions, startPbs } from './cluster.ts';

export interface PbsLane extends BatchLane {
  readonly cluster: PbsCluster;
  /** Submits a file with a job `first` that has begun, as the server knows too. */
  begun(name: string, text: string): Promise<{ readonly id: number; readonly job: number }>;
  /** Waits until PBS says that a job is over. */
  over(job: number): Promise<unknown>;
  /** The processes of a job on all nodes. Jobs of other clusters on this machine have the same numbers. */
  processesOf(job: number): number[];
  /** Waits until none of them is left. */
  noProcessOf(job: number): Promise<unknown>;
}

export async function openLane(options: PbsOptions = {}): Promise<PbsLane> {
  const cluster = await startPbs(options);
  const lane = await openBatchLane({ ...process.env, ...cluster.environment });
  const processesOf = (job: number) =>
    processesWhere(
      (variables) =>
        (variables.includes(`PBS_JOBID=${job}.pbs`) || variables.includes(`TORC_PBS_JOB=${job}`)) &&
        variables.some((each) => each.includes(`${cluster.folder}/`) || each.includes(lane.folder)),
    );
  // The file has the name.
  const submitted: PbsLane['submitted'] = (name, text) => lane.submitted(name, `name: ${name}\n${text}`);
  return {
    ...lane,
    cluster,
    submitted,
    async begun(name, text) {
      const { id, jobs } = await submitted(name, text);
      await lane.written(`${name}.first`, 1);
      // It writes before the server learns that it has begun.
      await until(
        () => lane.statuses(id),
        ({ first }) => first === 'running',
        `the server to know that ${name} runs`,
      );
      return { id, job: jobs[0] as number };
    },
    processesOf,
    noProcessOf: (job) =>
      until(
        () => processesOf(job),
        (pids) => pids.length === 0,
        `the processes of job ${job} to end`,
        30_000,
      ),
    over: (job) =>
      until(
        () => cluster.field(job, 'job_state'),
        (state) => state === 'F',
        `job ${job} to end`,
        60_000,
      ),
  };
}

/** Two jobs one after the other; the first writes when it begins and ends, and waits for a file between. */
export const waitingFlow = (name: string, { walltime = '00:10:00', more = '' } = {}): string => `
pbs_schedulers: [{name: s, walltime: "${walltime}", select: "1:ncpus=2:mem=500mb"${more}}]
resource_requirements: [{name: r, num_cpus: 1, memory: 50m, runtime: PT1S}]
jobs:
  - {name: first, command: "echo began >> ${name}.first; until [ -e ${name}.go ]; do sleep 0.1; done; echo done >> ${name}.first", resource_requirements: r}
  - {name: last, command: "echo last >> ${name}.last", depends_on: [first], resource_requirements: r}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: pbs}
`;
