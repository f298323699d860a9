import { queryOf } from '../../client/client.ts';
import { openJobs } from '../claim/open-jobs.ts';
import { takeable } from '../claim/prospect.ts';
import type { TimeLimit } from '../claim/time-limit.ts';
import { createWake } from '../report/wake.ts';
import type { Equipment } from './equip.ts';
import type { Joined } from '../setup/join.ts';
import { createFate } from '../attempt/fate.ts';
import { type AllocationSignals, KILLED_LAST_MS } from '../attempt/evidence.ts';
import { createOrphanCheck } from '../recover/orphan-check.ts';
import { createRunnerWork, type RunnerWork, type WorkOptions } from './work.ts';

/** The work of a runner, joined to the event stream of the server and to the check for lost runners of this host. */
export function beginWork(
  { options, registered, server }: Joined,
  equipment: Equipment & Pick<WorkOptions, 'cancelUnneeded'> & Pick<AllocationSignals, 'signaledAtMs'>,
  limit: TimeLimit | undefined,
  drainOf: WorkOptions['drainOf'],
): { readonly work: RunnerWork; close(): void } {
  const { workflow, nodeId, mode, run } = registered;
  const { workflowId, runId, log } = run;
  const { client } = server;
  const { actions, shells, monitor } = equipment;
  const { ending } = options;
  const prospect = takeable(client, {
    workflowId,
    nodeId,
    othersMayCome: options.othersMayCome ?? true,
    stays: options.persistent || (workflow.compute_node_wait_for_new_jobs_seconds ?? 0) === 0,
  });
  const work = createRunnerWork({
    ...registered,
    ...equipment,
    options: {
      ...options,
      get endAtMs() {
        return limit?.deadline.endAtMs;
      },
    },
    watch: monitor.watch,
    onMeasured: monitor.onMeasured,
    drainOf,
    ask: (body, answered, failed) => void client.exchange({ params: { id: workflowId }, body }).then(answered, failed),
    limitScripts: (ms) => shells.limit(ms),
    async prospect(counts, isLong) {
      // Jobs of a runner that is gone are work for this one.
      if (isLong) await orphanCheck.check();
      return prospect(counts, isLong);
    },
    hasOpenJobs: options.persistent ? openJobs(client, workflow, options.labels) : undefined,
    cancelsAllocations: options.scheduling !== undefined,
    onPoll: () => void orphanCheck.check(),
    onJobEnded: options.onJobEnded,
    allocation: {
      areShared: options.allocation !== undefined,
      hasSteps: mode === 'slurm',
      // Steps end by the word of Slurm, which knows that it killed them.
      successWaitMs: mode === 'direct' && ending?.isOneByOne === true ? KILLED_LAST_MS : 0,
      signaledAtMs: equipment.signaledAtMs,
      fate: ending && createFate(() => ending.fate()),
    },
    stuckMs: server.stuckMs,
  });
  const orphanCheck = createOrphanCheck({
    client,
    workflowId,
    runId,
    hostname: registered.hostname,
    allocation: options.allocation,
    batch: options.batch,
    log,
    isIdle: () => work.held() === 0,
    counts: () => work.conversation.counts,
    onFound() {
      actions.armedAgain();
      work.on.workMayBeReady();
    },
  });
  const types = server.wakingEvents;
  const wake = createWake({
    open: options.connection.events(`/workflows/${workflowId}/events/stream${queryOf({ types: types.join(',') })}`),
    types,
    atMostEveryMs: server.wakeAtMostEveryMs,
    onWake: work.on.workMayBeReady,
    onWorkflow: work.on.workflowChanged,
    onConnected: work.on.connected,
    onLost: work.on.connectionLost,
  });
  return { work, close: () => wake.close() };
}
