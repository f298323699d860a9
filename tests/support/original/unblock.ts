import type { Client } from '../../../src/client/client.ts';

/**
 * The background task by which the original releases dependents: what the end of a job makes ready is blocked again until
 * the task runs. Requests wait while that is done, so that no client sees or claims such a job before.
 */
export function createUnblocker(behind: Client, everyMs: number) {
  const held = new Map<number, number>();
  let last: Promise<unknown> = Promise.resolve();

  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const readyIn = async (workflowId: number) => {
    const { items } = await behind.listJobs({ query: { workflow_id: workflowId, status: 'ready' } });
    return items.map(({ id }) => id);
  };
  const runOf = async (workflowId: number) => (await behind.getWorkflow({ params: { id: workflowId } })).run_id ?? 0;
  const change = (id: number, status: 'ready' | 'blocked', runId: number) =>
    behind.manageStatusChange({ params: { id, status, run_id: runId } });

  const release = async () => {
    for (const [id, workflowId] of held) {
      held.delete(id);
      const job = await behind.getJob({ params: { id } }).catch(() => undefined);
      if (job?.status === 'blocked') await change(id, 'ready', await runOf(workflowId));
    }
  };
  const timer = setInterval(() => void (held.size > 0 && alone(release).catch(() => {})), everyMs);

  return {
    /** Carries out a request that ends jobs. */
    around: <T>(workflowId: number, work: () => Promise<T>): Promise<T> =>
      alone(async () => {
        const before = new Set(await readyIn(workflowId).catch(() => []));
        const answer = await work();
        const after = await readyIn(workflowId).catch(() => []);
        const runId = await runOf(workflowId).catch(() => 0);
        for (const id of after.filter((each) => !before.has(each))) {
          await change(id, 'blocked', runId);
          held.set(id, workflowId);
        }
        return answer;
      }),
    /** Carries out any other request. */
    beside: <T>(work: () => Promise<T>): Promise<T> => alone(work),
    now: () => alone(release),
    close(): Promise<unknown> {
      clearInterval(timer);
      return last;
    },
  };
}
