import type { ProcessIdentity } from '../../cluster/host/facts.ts';
import { machineNow, thisMachine } from '../../cluster/host/machine.ts';
import { openShareFile, SHARE_VARIABLE } from '../../cluster/share/share-file.ts';
import { MARK_VARIABLE } from '../../core/attempt/belongs-to.ts';
import type { ClaimedJob, Need } from '../../core/contract/exchange.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import { jobAmounts, licenseAmounts, licensesIn } from '../../core/lifecycle/share/amounts.ts';
import { JOB_SHARE_VARIABLE, jobShareOf, jobShareText } from '../../core/lifecycle/share/job-share.ts';
import { WHOLE_MACHINE } from '../../core/lifecycle/share/sharing-run.ts';
import type { Capacity } from '../claim/capacity.ts';
import type { Log } from '../facts/log.ts';
import type { RunnerOptions } from '../facts/options.ts';
import { createRunShare, type RunShare } from './run-share.ts';
import { shareCapacity } from './shared-capacity.ts';

interface ShareParts {
  readonly options: Pick<RunnerOptions, 'sharesMachine' | 'maxParallelJobs' | 'allocation' | 'numCpus' | 'memoryGb'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workflow: Workflow;
  /** This process; undefined where it cannot be named. */
  readonly identity: ProcessIdentity | undefined;
  readonly mark: string;
  readonly capacity: Capacity;
  readonly devices: readonly string[];
  /** CPUs and memory of this machine. */
  readonly host: { readonly cpus: number; readonly memoryBytes: number };
  readonly log: Log;
}

/** The accounting of a runner that shares its machine with others of this user. */
export interface Sharing {
  readonly capacity: Capacity;
  readonly share: RunShare;
  /** What a job has, for runs that it starts. */
  readonly textOf: ((job: ClaimedJob) => string) | undefined;
}

/**
 * Shares the machine, or, in a job of a run that shares it, what that job has. Undefined for a runner that has its machine for itself, as in an
 * allocation. One that was given a number of jobs shares named limits alone.
 *
 * CPUs, memory or GPUs that were named by hand are a bound of this run; more than there are count as there, for this run.
 */
export function joinShare(parts: ShareParts): Sharing | undefined {
  const { options, environment, workflow, identity, mark, capacity, devices, log } = parts;
  const { sharesMachine, maxParallelJobs, allocation } = options;
  if (sharesMachine === undefined || allocation !== undefined) return undefined;
  if (environment[SHARE_VARIABLE] === 'off' || identity === undefined) return undefined;
  // A program that left its job (`env -u TORC_RUNNER_MARK`) takes nothing of it.
  const outer = environment[MARK_VARIABLE] === undefined ? undefined : jobShareOf(environment[JOB_SHARE_VARIABLE]);
  const limits = { ...licensesIn(outer?.has ?? {}), ...licenseAmounts(sharesMachine.limits) };
  const countsJobs = maxParallelJobs !== undefined;
  const amountsOfNeed = (need: Need): Amounts => ({
    ...(countsJobs ? {} : jobAmounts(need)),
    ...licenseAmounts(need.licenses),
  });
  const { cpus, memoryBytes, gpus } = capacity.total;
  const used = new Set<string>();
  const share = createRunShare({
    open: () => openShareFile(environment) ?? 'it is off',
    own: {
      id: `${identity.pid} ${identity.start_ticks} ${mark}`,
      of: outer?.of ?? WHOLE_MACHINE,
      pid: identity.pid,
      startTicks: identity.start_ticks,
      mark,
      workflowId: workflow.id ?? 0,
      workflowName: workflow.name,
      database: sharesMachine.database,
      devices: [],
      limits: sharesMachine.limits,
      total: { ...(countsJobs ? {} : totalOf(outer?.has, parts)), ...limits },
      holds: {},
      lag: 0,
      atMs: machineNow(),
    },
    here: thisMachine(),
    offer: countsJobs ? {} : { cpus, memory_bytes: memoryBytes, gpus },
    devices,
    usedDevices: () => [...used],
    onAlone: (reason) =>
      log.write('warn', `This run takes the machine for itself, and does not share it with others: ${reason}`),
  });
  return {
    share,
    capacity: shareCapacity(capacity, share, used, amountsOfNeed),
    textOf: countsJobs
      ? undefined
      : (job) =>
          jobShareText({ of: `${mark} ${job.id} ${job.attempt_id}`, has: withAskedMemory(amountsOfNeed(job.need)) }),
  };
}

/** What there is to share: what the machine or the job around the run has, or as much as a person said that there is. */
function totalOf(has: Amounts | undefined, { options, host, capacity }: ShareParts): Amounts {
  const { cpus, memoryBytes: memory = Infinity } =
    has === undefined ? host : { cpus: has['cpus'] ?? 0, memoryBytes: has['memory_bytes'] };
  const memoryBytes = Math.max(memory, options.memoryGb === undefined ? 0 : capacity.total.memoryBytes);
  return {
    cpus: Math.max(cpus, options.numCpus ?? 0),
    ...(memoryBytes === Infinity ? {} : { memory_bytes: memoryBytes }),
    gpus: capacity.total.gpus,
  };
}

/** A job that asked for no memory has this little, which is no bound for the jobs of a run in it. */
const UNASKED_BYTES = 2 ** 20;

function withAskedMemory({ memory_bytes: memoryBytes = 0, ...others }: Amounts): Amounts {
  return memoryBytes <= UNASKED_BYTES ? others : { ...others, memory_bytes: memoryBytes };
}
