import type { ArmedAction, dueQueries } from './queries.ts';

/**
 * The due actions of a workflow, in every reply to its runners. A workflow without actions must cost almost nothing,
 * and an action with ten thousand jobs must not read them each time.
 *
 * For each action that is not due, one job is stored for which it waits: until this job has reached the status, no
 * other job needs to be read. The stored job only decides what is read first, never the reply.
 */
export const createDue = ({ armed, isTriggered, waiting }: DueQueries) => {
  const waitsFor = new Map<number, number>();

  const waits = ({ id, trigger_type: trigger }: ArmedAction): boolean => {
    // The store counts failed jobs, so that nothing needs to be kept for it.
    if (trigger === 'on_first_failure') return false;
    const known = waitsFor.get(id);
    if (known !== undefined && waiting[trigger].still.get({ jobId: known }) !== undefined) return true;
    const next = waiting[trigger].last.get({ id });
    if (next === undefined) {
      waitsFor.delete(id);
      return false;
    }
    // Entries of deleted workflows are not worth separate handling.
    if (waitsFor.size >= MOST_REMEMBERED) waitsFor.clear();
    waitsFor.set(id, next.id);
    return true;
  };

  return (workflowId: number): number[] =>
    armed
      .all({ workflowId })
      .filter(
        (action) => action.is_reached === 1 || (!waits(action) && isTriggered.get({ id: action.id }) !== undefined),
      )
      .map(({ id }) => id);
};

export type Due = ReturnType<typeof createDue>;

type DueQueries = ReturnType<typeof dueQueries>;

const MOST_REMEMBERED = 1_000;
