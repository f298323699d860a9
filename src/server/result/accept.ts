import { createUnneededFiles } from '../records/file/unneeded.ts';
import { unneededFileQueries } from '../records/file/removal-queries.ts';
import { causeOfRecord, exitCodesOf } from '../../core/attempt/judge.ts';
import type { StreamEventType } from '../../core/contract/event.ts';
import { statusCode } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { LET_GO_FIRST } from '../../core/job/statuses.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import type { Store } from '../records/store.ts';
import { type End, refusalOfEnd, startOfEnd } from './end.ts';
import { type GatheredEnds, gatherEnds } from './gathered.ts';
import { createHolderAcceptance, isKnown } from './holder.ts';
import type { EndingJob, ResultReportQueries } from './queries.ts';
import { refuseTooEarly } from './too-early.ts';

/** The outcome of a reported end: accepted, known already, or refused with the reason. */
export type Acceptance = 'accepted' | 'known' | Refusal;

/**
 * Who reports: the runner that holds the attempt, so that each end is fenced by attempt and runner and may be sent
 * twice; or anybody with an id, as with Torc's routes, where a second report is refused.
 */
export type Reporter = 'holder' | 'anybody';

/**
 * Processes the ends of attempts: the result is stored, the job ends, its dependents are released, all in the same
 * transaction.
 *
 * Each end is checked before anything of it is written, so a refused end changes nothing and does not affect the
 * others. The caller has checked that the run is the workflow's current one.
 */
export const createAccept = (store: Store, queries: ResultReportQueries) => {
  const { changes, releases } = store;
  const held = createHeldAttempts(store.db, changes);
  const findUnneeded = createUnneededFiles(unneededFileQueries(store.db));
  const acceptanceByHolder = createHolderAcceptance(queries);

  const acceptanceByAnybody = (end: End, job: EndingJob | undefined): Acceptance | undefined => {
    const refusal = refusalOfEnd(end, job);
    if (refusal !== undefined || !isKnown(queries, end)) return refusal;
    return new Refusal(
      'DUPLICATE',
      `job_id=${end.jobId} has a result for run ${end.runId}, attempt ${end.attemptId} already`,
    );
  };

  const refuseUnknownNodes = (workflowId: number, ends: readonly End[]): Map<number, Refusal> => {
    const unknown = new Map<number, Refusal>();
    for (const nodeId of new Set(ends.map((end) => end.nodeId))) {
      if (queries.nodeOf.get({ nodeId, workflowId }) !== undefined) continue;
      const message = `compute_node_id=${nodeId} is not a compute node of workflow ${workflowId}`;
      unknown.set(nodeId, new Refusal('REFERENCE_UNKNOWN', message, { found: nodeId }));
    }
    return unknown;
  };

  /** Torc's own runner reports no cause. */
  const withCause = (end: End): End => {
    if (end.status === 'completed' || (end.causeCode ?? undefined) !== undefined) return end;
    const codes = exitCodesOf(store.find.wholeWorkflow(end.workflowId).execution_config);
    return { ...end, causeCode: causeOfRecord(end, codes) };
  };

  const write = (end: End, holder: number | null, ended: GatheredEnds): void => {
    // Another client reports the end: the process may still run under the runner that holds it.
    if (holder !== null && holder !== end.nodeId) held.keep(end.jobId);
    // An end with one of these statuses is distinguished from a change by hand: the runner releases the attempt.
    if (LET_GO_FIRST.has(end.status)) queries.letGo.run({ id: end.jobId });
    ended.add(withCause(end));
    for (const { id, st_mtime: mtime, made_mtime: madeAt, made_size: size, was_there: wasThere } of end.files ?? []) {
      queries.fileTime.run({ id, workflowId: end.workflowId, mtime });
      const isMade = typeof madeAt === 'number' && typeof size === 'number';
      if (isMade && end.status === 'completed')
        queries.madeFile.run({
          jobId: end.jobId,
          fileId: id,
          mtime: madeAt,
          size,
          wasThere: Number(wasThere === true),
        });
    }
    for (const { id: fileId, st_mtime: mtime, st_size: size, hash = null } of end.inputs ?? [])
      queries.readFile.run({ jobId: end.jobId, fileId, mtime, size, hash });
  };

  /** The end of an attempt whose job a user canceled: the job stays canceled, and the result says how the attempt ended. */
  const canceledEnd = (end: End): End => ({ ...end, status: 'canceled', causeCode: 'canceled', cause: undefined });
  /** After the cancellation of a whole workflow its jobs have no result, as in Torc. */
  const isCanceledAttempt = (end: End, job: EndingJob | undefined): boolean =>
    job?.status === statusCode.canceled &&
    job.attempt_id === end.attemptId &&
    !isKnown(queries, end) &&
    store.find.run(end.workflowId).is_canceled === 0;

  return (workflowId: number, ends: readonly End[], reporter: Reporter): Acceptance[] => {
    const reported = new Map<StreamEventType, unknown[]>();
    const report = (type: StreamEventType, entry: unknown) => {
      const entries = reported.get(type);
      if (entries === undefined) reported.set(type, [entry]);
      else entries.push(entry);
    };
    let ready = 0;

    const unknownNodes = refuseUnknownNodes(workflowId, ends);
    const acceptanceOf = reporter === 'holder' ? acceptanceByHolder : acceptanceByAnybody;
    const ended = gatherEnds(queries);
    const acceptances = ends.map((end): Acceptance => {
      if (ended.has(end.jobId)) ended.write();
      const job = queries.job.get({ id: end.jobId });
      const acceptance = refuseTooEarly(queries, end, job) ?? acceptanceOf(end, job) ?? unknownNodes.get(end.nodeId);
      if (acceptance !== undefined) {
        // Late: the job has moved on, and this attempt of it has ended now.
        const wasHeld = held.over(end);
        if (!wasHeld || !isCanceledAttempt(end, job)) return acceptance;
        ended.add(canceledEnd(end));
        return 'accepted';
      }
      // A job that began and ended in one exchange was never stored as running.
      if (reporter === 'holder' && job?.status === PENDING && end.causeCode !== 'adopted')
        report('job_started', startOfEnd(end, job.name));
      write(end, job?.claimed_by ?? null, ended);
      report(`job_${end.status}` as StreamEventType, {
        job_id: end.jobId,
        job_name: job?.name,
        status: end.status,
        return_code: end.returnCode,
      });
      if (end.status !== 'pending_failed' && job !== undefined && job.dependents > 0) {
        const released = releases.dependentsOf({ ...end, dependents: job.dependents });
        ready += released.ready;
        for (const canceled of released.canceled) report('job_canceled', canceled);
      }
      return 'accepted';
    });
    ended.write();

    const accepted = ends.filter((_, index) => acceptances[index] === 'accepted');
    findUnneeded.of(
      workflowId,
      accepted.filter(({ status }) => status === 'completed').map(({ jobId }) => jobId),
    );
    if (accepted.length > 0) queries.addTime.run({ workflowId, ...timeOf(accepted) });
    for (const [type, entries] of reported) changes.record(workflowId, type, entries);
    if (ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: ready }]);
    if (reported.size > 0) releases.closeIfComplete(workflowId);
    return acceptances;
  };
};

export type Accept = ReturnType<typeof createAccept>;

const PENDING = statusCode.pending;

/** The total time of attempts, and from when to when, in Unix seconds. */
function timeOf(ends: readonly End[]) {
  let [minutes, first, last] = [0, Infinity, -Infinity];
  for (const { execTimeMinutes, completionTime } of ends) {
    minutes += execTimeMinutes;
    const endedAt = Date.parse(completionTime) / 1000;
    if (Number.isNaN(endedAt)) continue;
    first = Math.min(first, endedAt - execTimeMinutes * 60);
    last = Math.max(last, endedAt);
  }
  const known = (second: number) => (Number.isFinite(second) ? second : null);
  return { minutes, firstSecond: known(first), lastSecond: known(last) };
}
