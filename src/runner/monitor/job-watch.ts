import type { Client } from '../../client/client.ts';
import { ownIdentity } from '../../cluster/host/facts.ts';
import { createFamilies } from '../../cluster/host/families.ts';
import { proportionalBytes, readPeakBytes } from '../../cluster/host/proc.ts';
import type { TreeUse } from '../../cluster/host/process-tree.ts';
import { createStepGroups } from '../../cluster/host/step-groups.ts';
import { MARK_VARIABLE } from '../marks.ts';
import type { Log } from '../log.ts';
import type { RunFacts } from '../step/request.ts';
import { createWatch, type Watch } from '../watch.ts';
import { createEnforcer, memoryLimitOf } from './memory-limit.ts';
import type { MetricsFile } from './metrics-file.ts';
import type { MonitorPlan } from './plan.ts';

export interface JobWatchOptions {
  readonly client: Client;
  readonly facts: RunFacts;
  readonly log: Log;
  /** A job is about to be killed for its memory. */
  readonly onKill: (pid: number) => void;
}

/** Monitors the jobs of a runner on this machine. Samples go to the file, if there is one. */
export async function watchJobs(
  plan: MonitorPlan,
  { client, facts, log, onKill }: JobWatchOptions,
  file: MetricsFile | undefined,
): Promise<Watch> {
  const { workflowId } = facts;
  const defaultId = plan.limitsMemory ? await defaultRequirements(client, workflowId) : undefined;
  const families = createFamilies({
    sinceTicks: ownIdentity()?.start_ticks ?? 0,
    ownerBy: (environment) => {
      const member = memberOf(facts, environment);
      return member && watch.find(member.jobId, member.attemptId);
    },
  });
  const groups = process.env['SLURM_JOB_ID'] === undefined ? undefined : createStepGroups();
  let isTold = false;
  const look = (roots: ReadonlySet<number>): ReadonlyMap<number, TreeUse> => {
    try {
      const uses = families.look(roots);
      return groups?.apply(uses) ?? uses;
    } catch (error) {
      // No /proc here, or no file descriptor left: jobs continue, and the next sample may succeed.
      if (!isTold) log.write('warn', 'Processes cannot be sampled', { reason: (error as Error).message });
      isTold = true;
      return new Map();
    }
  };
  const watch = createWatch({
    intervalSeconds: plan.sampleSeconds,
    look,
    peakOf: readPeakBytes,
    memoryOf: proportionalBytes,
    limitOf: (job) => (plan.limitsMemory ? memoryLimitOf(job, defaultId) : undefined),
    onViolation: createEnforcer({ workflowId, log, onKill }),
    onSample: file?.job,
  });
  return {
    ...watch,
    close() {
      watch.close();
      families.close();
    },
  };
}

async function defaultRequirements(client: Client, workflowId: number): Promise<number | undefined> {
  const { items } = await client.listResourceRequirements({ query: { workflow_id: workflowId, name: 'default' } });
  return items[0]?.id ?? undefined;
}

/** The attempt of this runner that an environment belongs to. */
function memberOf({ variables }: RunFacts, environment: readonly string[]) {
  const valueOf = (name: string) => environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  const mark = valueOf(MARK_VARIABLE);
  if (mark === undefined || !variables.some(([name, value]) => name === MARK_VARIABLE && value === mark))
    return undefined;
  return { jobId: Number(valueOf('TORC_JOB_ID')), attemptId: Number(valueOf('TORC_ATTEMPT_ID')) };
}
