import { statusCode } from '../../src/core/contract/job.ts';
import { faultsOf, type Mark } from '../support/history.ts';
import { attemptOf } from './machine.ts';

/** Ids of the jobs that hold one license each, and how many of them may be alive at a time. */
export interface Licenses {
  readonly limit: number;
  readonly holders: ReadonlySet<number>;
}

/** How a run ended, as the database, the processes and the runners have it. */
export interface Ending {
  /** For each job, in the order of ids from 1 on, the places of those that it waits for. */
  readonly waitsFor: readonly (readonly number[])[];
  /** Ids of the jobs that fail whenever they run. */
  readonly failing: ReadonlySet<number>;
  readonly licenses: Licenses;
  readonly history: readonly Mark[];
  readonly slots: number;
  readonly jobs: readonly { id: number; status: number; claimed_by: number | null; attempt_id: number }[];
  readonly results: readonly { job_id: number; run_id: number; attempt_id: number }[];
  /** The run in the end. What an earlier run did may have no result: its reports are refused. */
  readonly runId: number;
  readonly nodes: readonly { id: number; is_active: number | null }[];
  readonly runnersAtWork: readonly string[];
  /** How many runners there ever were. */
  readonly runners: number;
}

/** What is wrong with a run that came to rest, a sentence each. */
export function faultsOfRun(ending: Ending): string[] {
  return [
    ...faultsOf(ending.history, { cpus: ending.slots, gpus: 0 }),
    ...liveTwice(ending),
    ...overLimit(ending),
    ...notDone(ending),
    ...outOfOrder(ending),
    ...unaccounted(ending),
    ...ending.runnersAtWork.map((name) => `${name} never ended`),
    ...(ending.nodes.length > ending.runners
      ? [`${ending.nodes.length} compute nodes for ${ending.runners} runners`]
      : []),
  ];
}

/** At most one attempt of a job is alive, wherever it runs. */
function liveTwice({ history }: Ending): string[] {
  const live = new Map<number, Mark>();
  const faults: string[] = [];
  for (const mark of history) {
    const before = live.get(mark.jobId);
    if (mark.what === 'ended') {
      if (before?.attemptId === mark.attemptId) live.delete(mark.jobId);
      continue;
    }
    if (before !== undefined)
      faults.push(`job ${mark.jobId} attempt ${mark.attemptId} began while attempt ${before.attemptId} was alive`);
    live.set(mark.jobId, mark);
  }
  return faults;
}

/** The limit of a workflow holds over all of its runners, whichever runner is killed: what a dead one left alive counts. */
function overLimit({ history, licenses: { limit, holders } }: Ending): string[] {
  const live = new Set<string>();
  return history.flatMap(({ what, jobId, attemptId }) => {
    if (!holders.has(jobId)) return [];
    const attempt = `job ${jobId} attempt ${attemptId}`;
    if (what === 'ended') live.delete(attempt);
    else live.add(attempt);
    return live.size > limit ? [`${[...live].join(', ')} held ${limit} licenses at a time`] : [];
  });
}

/** Every job ends: completed or failed, or terminated by a runner that was stopped, or canceled after one of those. */
function notDone({ jobs, waitsFor, failing }: Ending): string[] {
  const ended = new Map(jobs.map(({ id, status }) => [id, status]));
  const isBad = (id: number) =>
    ended.get(id) === statusCode.terminated ||
    ended.get(id) === statusCode.canceled ||
    (ended.get(id) === statusCode.failed && failing.has(id));
  return jobs.flatMap(({ id, status, claimed_by: node }) => {
    if (node !== null) return [`job ${id} has status ${status} in the end, and is in the name of node ${node}`];
    const after = (waitsFor[id - 1] ?? []).map((place) => place + 1);
    const isFine =
      status === statusCode.completed
        ? !after.some(isBad) && !failing.has(id)
        : status === statusCode.canceled
          ? after.some(isBad)
          : isBad(id);
    return isFine ? [] : [`job ${id} has status ${status} in the end`];
  });
}

/** No job begins before those that it waits for have ended well: with their last attempt. */
function outOfOrder({ waitsFor, history: all, runId }: Ending): string[] {
  const history = all.filter(({ attemptId }) => attemptId >= attemptOf(runId, 0));
  const lastEnd = new Map<number, number>();
  const firstBegin = new Map<number, number>();
  for (const [at, { what, jobId }] of history.entries()) {
    if (what === 'ended') lastEnd.set(jobId, at);
    else if (!firstBegin.has(jobId)) firstBegin.set(jobId, at);
  }
  return waitsFor.flatMap((others, place) =>
    others
      .filter((other) => (firstBegin.get(place + 1) ?? Infinity) < (lastEnd.get(other + 1) ?? Infinity))
      .map((other) => `job ${place + 1} began before job ${other + 1} had ended`),
  );
}

/** Every attempt of the last run that began has a result, and no result is of an attempt that never began. */
function unaccounted({ history, results, runId }: Ending): string[] {
  const began = new Set(history.map(({ jobId, attemptId }) => `job ${jobId} attempt ${attemptId}`));
  const known = new Set(results.map((each) => `job ${each.job_id} attempt ${attemptOf(each.run_id, each.attempt_id)}`));
  const ofLastRun = new Set(
    history
      .filter(({ attemptId }) => attemptId >= attemptOf(runId, 0))
      .map(({ jobId, attemptId }) => `job ${jobId} attempt ${attemptId}`),
  );
  return [
    ...[...ofLastRun].filter((attempt) => !known.has(attempt)).map((attempt) => `${attempt} began and has no result`),
    ...[...known].filter((attempt) => !began.has(attempt)).map((attempt) => `${attempt} has a result and never began`),
  ];
}
