import { type AllocationSteps, stepsOfAllocation } from '../../../cluster/slurm/steps.ts';
import type { Log } from '../../facts/log.ts';
import { createSlurmSteps, type SlurmStepOptions } from '../slurm/slurm.ts';
import type { Steps } from '../steps.ts';
import { createCarriedSteps } from './carried.ts';
import { longStep } from './long-step.ts';

export interface BatchStepOptions extends SlurmStepOptions {
  /** The nodes of the allocation, with their CPUs where these are known. */
  readonly nodes: readonly { readonly name: string; readonly cpus: number | undefined }[];
  /** The program that runs in a step and starts jobs there. */
  readonly program: readonly string[];
  readonly sonar: boolean;
}

/**
 * Jobs inside long steps: one step a node, in which our launcher starts them. Slurm is asked once for each node instead of
 * once for each job.
 *
 * A job on several nodes is a step of its own: only srun can start it. So is each job of a node whose launchers end before they speak.
 */
export function createBatchSteps(options: BatchStepOptions): Steps {
  const { facts, environment, allocation, nodes, program, sonar, log, defaultRequirementsId, reachesAll } = options;
  const slurm = stepsOfAllocation(allocation.jobId, environment);
  return createCarriedSteps({
    name: 'step_batching',
    facts,
    log,
    nodes,
    placeOn: (node) => ({
      ...longStep({
        node,
        name: `wf${facts.workflowId}_r${facts.runId}_jobs_${node}`,
        allocation,
        cpus: nodes.find(({ name }) => name === node)?.cpus,
        program,
        environment,
      }),
      log,
      // If srun alone was killed, its step goes on for some seconds.
      nothingLeft: (step) => endOfStep(slurm, step, log),
      begin: {
        do: 'begin',
        facts,
        sonar,
        beside: {
          defaultRequirementsId,
          reachesAll,
          bytes: node === environment['SLURMD_NODENAME'] ? process.memoryUsage.rss() : 0,
        },
      },
    }),
    openOwn: () => createSlurmSteps(options),
    isOwn: ({ need }, isBroken) => need.num_nodes > 1 || isBroken,
    statsOf: ({ step = '', node }) => ({
      slurm_job_id: String(allocation.jobId),
      slurm_step: step,
      node_list: node,
    }),
    lostWith: ({ step, node }, words) => `step ${step} on ${node}, in which it ran, ended before it: ${words}`,
  });
}

const LOOK_MS = 200;
const LOOKS = 150;
/** Without an answer nothing is learned by asking on. */
const MOST_UNANSWERED = 3;

/**
 * Ends a step whose srun is gone, and waits until Slurm lists it no more, for half a minute at most: Slurm's usual
 * KillWait. Never rejects.
 */
async function endOfStep(slurm: Pick<AllocationSteps, 'ids' | 'signal'>, step: string, log: Log): Promise<void> {
  await slurm.signal([step], 'SIGKILL').catch(() => {});
  let unanswered = 0;
  for (let look = 0; look < LOOKS && unanswered < MOST_UNANSWERED; look += 1) {
    try {
      const listed = [...(await slurm.ids()).values()];
      if (!listed.includes(step)) return;
    } catch (error) {
      unanswered += 1;
      log.write('debug', 'The steps of the allocation cannot be listed', { reason: (error as Error).message });
    }
    await new Promise<void>((done) => void setTimeout(done, LOOK_MS));
  }
}
