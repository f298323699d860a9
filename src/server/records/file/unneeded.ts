import { byId } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { unneededFileQueries } from './removal-queries.ts';

/**
 * Finds the temporary files that became unneeded because jobs completed: every job that reads or makes one of them has completed, and an
 * attempt is known to have made it. A job that failed or was canceled may run again and needs it.
 *
 * A file with ten thousand readers must not have them all read at each end: of each file one job that has not completed is
 * remembered, and the next one is looked for behind it. What is remembered only decides where the search begins.
 */
export const createUnneededFiles = ({ hasTemporary, touchedBy, madeByOthers, openUser, markDue, made }: Queries) => {
  const waitsFor = new Map<number, number>();

  const isOpen = (fileId: number, except = NONE): boolean => {
    const from = waitsFor.get(fileId) ?? 0;
    const open =
      openUser.get({ fileId, from, except }) ?? (from === 0 ? undefined : openUser.get({ fileId, from: 0, except }));
    if (open === undefined) {
      waitsFor.delete(fileId);
      return false;
    }
    if (waitsFor.size >= MOST_REMEMBERED) waitsFor.clear();
    waitsFor.set(fileId, open.id);
    return true;
  };

  return {
    of(workflowId: number, completedJobs: readonly number[]): void {
      if (completedJobs.length === 0 || hasTemporary.get({ workflowId }) === undefined) return;
      const jobs = JSON.stringify(completedJobs);
      for (const { id } of touchedBy.all({ jobs })) if (!isOpen(id)) markDue.run({ id });
    },
    /**
     * Those that become unneeded when this job is deleted, before any trace of the job is: a server that is killed in between finds them
     * again. Until the job is deleted, no runner gets them.
     */
    *withoutJob(workflowId: number, jobId: number): WorkSteps {
      if (hasTemporary.get({ workflowId }) === undefined) return;
      yield* byId(
        PAGE,
        (page) => madeByOthers.all({ jobId, ...page }),
        ({ id }) => {
          if (!isOpen(id, jobId)) markDue.run({ id });
        },
      );
    },
    /** Those of a whole workflow: an update may have removed the last job that was to read a file. */
    *ofWorkflow(workflowId: number): WorkSteps {
      if (hasTemporary.get({ workflowId }) === undefined) return;
      yield* byId(
        PAGE,
        (page) => made.all({ workflowId, ...page }),
        ({ id }) => {
          if (!isOpen(id)) markDue.run({ id });
        },
      );
    },
  };
};

/** No job has this id. */
const NONE = 0;

/** Files between two steps: about 1 ms. */
const PAGE = 128;

type Queries = ReturnType<typeof unneededFileQueries>;

/** About 5 MB. */
const MOST_REMEMBERED = 50_000;
