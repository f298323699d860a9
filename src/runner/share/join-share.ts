import type { ProcessIdentity } from '../../cluster/host/facts.ts';
import { thisMachine } from '../../cluster/host/machine.ts';
import { openShareFile, SHARE_VARIABLE } from '../../cluster/share/share-file.ts';
import { MARK_VARIABLE } from '../../core/attempt/belongs-to.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import { jobAmounts } from '../../core/lifecycle/share/amounts.ts';
import { JOB_SHARE_VARIABLE, jobShareOf, jobShareText } from '../../core/lifecycle/share/job-share.ts';
import { WHOLE_MACHINE } from '../../core/lifecycle/share/sharing-run.ts';
import type { Capacity } from '../claim/capacity.ts';
import type { Log } from '../facts/log.ts';
import type { RunnerOptions } from '../facts/options.ts';
import { createRunShare, machineNow, type RunShare } from './run-share.ts';
import { shareCapacity } from './shared-capacity.ts';

interface ShareParts {
  readonly options: Pick<
    RunnerOptions,
    'sharesMachine' | 'maxParallelJobs' | 'allocation' | 'numCpus' | 'memoryGb' | 'numGpus'
  >;
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
  readonly textOf: (job: ClaimedJob) => string;
}

/**
 * Shares the machine, or, in a job of a run that shares it, what that job has. Undefined for a runner that has its machine for itself, by
 * its allocation or by the number of jobs that it was given.
 *
 * CPUs, memory or GPUs that were named by hand are a bound of this run; more than there are count as there, for this run.
 */
export function joinShare(parts: ShareParts): Sharing | undefined {
  const { options, environment, workflow, identity, mark, capacity, devices, host, log } = parts;
  const { sharesMachine, maxParallelJobs, allocation } = options;
  if (sharesMachine === undefined || maxParallelJobs !== undefined || allocation !== undefined) return undefined;
  if (environment[SHARE_VARIABLE] === 'off' || identity === undefined) return undefined;
  // A program that left its job (`env -u TORC_RUNNER_MARK`) takes nothing of it.
  const outer = environment[MARK_VARIABLE] === undefined ? undefined : jobShareOf(environment[JOB_SHARE_VARIABLE]);
  const { cpus, memoryBytes, gpus } = capacity.total;
  const offer = { cpus, memory_bytes: memoryBytes, gpus };
  const has = outer?.has ?? { cpus: host.cpus, memory_bytes: host.memoryBytes };
  const total = {
    cpus: Math.max(has['cpus'] ?? 0, options.numCpus ?? 0),
    memory_bytes: Math.max(has['memory_bytes'] ?? Infinity, options.memoryGb === undefined ? 0 : memoryBytes),
    gpus,
  };
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
      limits: {},
      holds: {},
      lag: 0,
      atMs: machineNow(),
    },
    here: thisMachine(),
    total,
    offer,
    devices,
    usedDevices: () => [...used],
    onAlone: (reason) =>
      log.write('warn', `This run takes the machine for itself, and does not share it with others: ${reason}`),
  });
  return {
    share,
    capacity: shareCapacity(capacity, share, used),
    textOf: ({ need, attempt_id: attempt, id }) =>
      jobShareText({ of: `${mark} ${id} ${attempt}`, has: withAskedMemory(jobAmounts(need)) }),
  };
}

/** A job that asked for no memory has this little, which is no bound for the jobs of a run in it. */
const UNASKED_BYTES = 2 ** 20;

function withAskedMemory({ memory_bytes: memoryBytes = 0, ...others }: Amounts): Amounts {
  return memoryBytes <= UNASKED_BYTES ? others : { ...others, memory_bytes: memoryBytes };
}
