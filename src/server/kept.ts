import type { Find } from './records/find.ts';

/** A reply is used for this many times the time that it took, so a view costs at most 2 % of a core however many look: a page has several. */
const TIMES = 50;
/** On a busy machine a reply takes long without costing much. */
const LONGEST_MS = 20_000;
/** Workflows whose replies are kept: those that were asked for last. */
const WORKFLOWS = 8;

/** A reply of a workflow that is there, kept as long as `createKept` says. */
export function keptOf<T>({ run }: Pick<Find, 'run'>, make: (workflowId: number) => Promise<T>) {
  const kept = createKept(make);
  return (workflowId: number): Promise<T> => {
    run(workflowId);
    return kept(workflowId);
  };
}

/**
 * Makes the reply for a workflow at most so often that it costs little. Requests at the same time share one.
 *
 * `held` gives the last reply at once, however old it is, while a new one is made if it is due.
 *
 * `clock` gives milliseconds; a test replaces it.
 */
export function createKept<T>(make: (workflowId: number) => Promise<T>, clock = () => performance.now()) {
  const kept = new Map<number, { readonly reply: Promise<T>; untilMs: number; last: T | undefined }>();
  const fresh = (workflowId: number): Promise<T> => {
    const before = kept.get(workflowId);
    kept.delete(workflowId);
    if (before !== undefined && clock() < before.untilMs) {
      kept.set(workflowId, before);
      return before.reply;
    }
    const startedMs = clock();
    const entry = { reply: make(workflowId), untilMs: Infinity, last: before?.last };
    kept.set(workflowId, entry);
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - WORKFLOWS))) kept.delete(oldest);
    entry.reply.then(
      (made) => {
        entry.last = made;
        const endedMs = clock();
        entry.untilMs = endedMs + Math.min(LONGEST_MS, TIMES * (endedMs - startedMs));
      },
      () => {
        entry.untilMs = 0;
      },
    );
    return entry.reply;
  };
  const held = async (workflowId: number): Promise<T> => {
    const reply = fresh(workflowId);
    return kept.get(workflowId)?.last ?? reply;
  };
  return Object.assign(fresh, { held });
}
