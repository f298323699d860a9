import { statusOf } from '../../core/contract/job.ts';
import { ENDED } from '../../core/job/statuses.ts';
import type { Caller } from '../caller.ts';
import type { Store } from '../records/store.ts';
import type { NoteAction } from '../records/event/user-action.ts';
import { byId } from '../store/rows.ts';
import { restartable, type WorkSteps } from '../store/work.ts';
import type { RecoverQueries } from './queries.ts';

interface ResetRequest {
  readonly dryRun: boolean;
  readonly caller: Caller;
}

/** Jobs checked between two steps. */
const PAGE = 256;

/**
 * Makes jobs uninitialized that read user data which changed since the workflow was initialized; returns their names.
 */
export const createProcessChanged = (
  { changes, find, works }: Store,
  queries: RecoverQueries,
  noteAction: NoteAction,
) => {
  function* steps(id: number, { dryRun, caller }: ResetRequest): WorkSteps<string[]> {
    find.run(id);
    const jobs = new Map<number, string>();
    for (let afterData = 0; ;) {
      const data = queries.changedUserData.get({ workflowId: id, after: afterData });
      if (data === undefined) break;
      afterData = data.id;
      yield* byId(
        PAGE,
        (page) => queries.readersOf.all({ id: data.id, ...page }),
        (reader) => void jobs.set(reader.id, reader.name),
      );
    }
    const ids = [...jobs.keys()].sort((left, right) => left - right);
    const names = ids.map((each) => jobs.get(each) as string);
    if (dryRun) return names;
    for (const each of ids) {
      const { status } = find.job(each);
      // Its dependents wait for the job again; both changes are one step, which is executed once.
      if (ENDED.has(statusOf(status))) queries.countUp.run({ id: each });
      queries.setStatus.run({ id: each, status: 0 });
      yield;
    }
    if (ids.length > 0) changes.record(id, 'jobs_reset', [{ jobs: ids.length, cause: 'their user data changed' }]);
    noteAction(id, caller, 'process_changed_job_inputs', {
      reinitialized_count: names.length,
      reinitialized_jobs: names,
    });
    return names;
  }

  const work = restartable(works, 'process_changed', steps);
  return (id: number, dryRun: boolean, caller: Caller) => work(id, { dryRun, caller });
};
