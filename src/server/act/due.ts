import type { ArmedAction, dueQueries } from './queries.ts';

/**
 * The actions of a workflow whose jobs have come so far that somebody should carry them out: what runners are told of
 * while they run. It is asked for in every turn of every runner, so a workflow without actions must cost next to nothing,
 * and one whose action names ten thousand jobs must not read them each time.
 *
 * Of each action that is not due one job is remembered for which it waits: as long as that one has not come so far,
 * nothing else needs to be read. What is remembered only says where to look first, never what is answered.
 */
export const createDue = ({ armed, isTriggered, waiting }: DueQueries) => {
  const waitsFor = new Map<number, number>();

  const waits = ({ id, trigger_type: trigger }: ArmedAction): boolean => {
    const known = waitsFor.get(id);
    if (known !== undefined && waiting[trigger].still.get({ jobId: known }) !== undefined) return true;
    const next = waiting[trigger].last.get({ id });
    if (next === undefined) {
      waitsFor.delete(id);
      return false;
    }
    // Those of workflows that are gone are not worth keeping apart.
    if (waitsFor.size >= MOST_REMEMBERED) waitsFor.clear();
    waitsFor.set(id, next.id);
    return true;
  };

  return (workflowId: number): number[] =>
    armed
      .all({ workflowId })
      .filter((action) => action.is_told === 1 || (!waits(action) && isTriggered.get({ id: action.id }) !== undefined))
      .map(({ id }) => id);
};

export type Due = ReturnType<typeof createDue>;

type DueQueries = ReturnType<typeof dueQueries>;

const MOST_REMEMBERED = 1_000;
