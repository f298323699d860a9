import { API_VERSION, GIT_HASH, VERSION } from '../../core/contract/version.ts';
import { isOneOf, NOT_BEGUN } from '../../core/job/statuses.ts';
import type { Permissions } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import { allEnded, createChoiceCounts, createCounts } from '../records/job/counts.ts';
import { createWaitingLimits } from '../records/limits/waiting-limits.ts';
import { listByPath } from '../records/records.ts';
import type { Store } from '../records/store.ts';
import { reportQueries } from './queries.ts';
import { type ReadyNeeds, statusQueries } from './status/queries.ts';
import { createStatus } from './status/status.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import type { ReadyJobRequirements } from '../../core/contract/resources.ts';

export const reportHandlers = (store: Store, permissions: Permissions) => {
  const { db, find } = store;
  const queries = reportQueries(db);
  const counts = createCounts(db);
  const countsOfChoice = createChoiceCounts(db);
  const standing = statusQueries(db);
  const status = createStatus(store, standing, counts);
  const waitingLimits = createWaitingLimits(store.limitCounts, permissions);

  return {
    ping: () => ({ status: 'Server is running', now_ms: store.now() }),
    /**
     * A commit hash helps anybody who looks for a known vulnerability: a server that enforces access does not show it.
     */
    getVersion: () => ({
      version: VERSION,
      api_version: API_VERSION,
      ...(permissions.isEnforced ? {} : { git_hash: GIT_HASH }),
    }),

    async getWorkflowStatus({ params: { id }, query: { choice } }, caller) {
      const found = await status(id);
      const limits = found.jobs_by_status.ready === 0 ? [] : waitingLimits.ofWorkflow(id, caller);
      return {
        ...found,
        ...(limits.length === 0 ? {} : { waiting_limits: limits }),
        ...(choice === undefined ? {} : { chosen_by_status: countsOfChoice(choice) }),
      };
    },
    getWorkflowLimits({ params: { id } }) {
      find.workflow(id);
      return { limits: store.limitCounts.counted(id), licensed: store.limitCounts.licensed(id) };
    },
    isComplete({ params: { id } }) {
      const isCanceled = find.workflow(id).is_canceled === 1;
      return { is_complete: isCanceled || allEnded(counts(id)), is_canceled: isCanceled };
    },
    isUninitialized({ params: { id } }) {
      find.workflow(id);
      const found = Object.entries(counts(id));
      return { is_uninitialized: found.every(([status, jobs]) => jobs === 0 || isOneOf(NOT_BEGUN, status)) };
    },
    getReadyJobRequirements({ params: { id }, query: { scheduler_config_id: schedulerId = null } }) {
      find.run(id);
      return readyRequirements(standing.readyNeeds.all({ workflowId: id, schedulerId }));
    },
    listRunningJobs: listByPath(find, queries.listRunningJobs),
    listSlurmJobCorrelations: listByPath(find, queries.listSlurmJobs),
  } satisfies Partial<Handlers>;
};

/** The requirements of all ready jobs together: sums, and the maximum of values that cannot be added. */
function readyRequirements(classes: readonly ReadyNeeds[]): ReadyJobRequirements {
  const ready = classes.filter(({ jobs }) => jobs > 0);
  const sum = (of: (needs: ReadyNeeds) => number) => ready.reduce((total, each) => total + each.jobs * of(each), 0);
  const longest = ready.reduce<ReadyNeeds | undefined>(
    (best, each) => (best === undefined || each.runtime_s > best.runtime_s ? each : best),
    undefined,
  );
  return {
    num_jobs: sum(() => 1),
    num_cpus: sum(({ num_cpus: cpus }) => cpus),
    memory_gb: sum(({ memory_bytes: bytes }) => bytes) / 2 ** 30,
    num_gpus: sum(({ num_gpus: gpus }) => gpus),
    max_num_nodes: greatest(
      ready.map(({ num_nodes: nodes }) => nodes),
      0,
    ),
    max_runtime: longest?.runtime ?? 'PT0S',
  };
}
