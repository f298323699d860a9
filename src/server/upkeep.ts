import type { Store } from './records/store.ts';

/** How often the change log is pruned. At full speed it grows by 10,000 rows in this time, 50 slices of work. */
const EVERY_MS = 60_000;

/** Prunes the change log at intervals while the server runs, and does the other chores. */
export function startUpkeep({ prune, chores }: Store, everyMs = EVERY_MS): { stop(): Promise<void> } {
  let isStopped = false;
  let current: Promise<unknown> | undefined;
  const run = () => {
    // A disk error is reported by `onBroken`, as for every write.
    current ??= prune(() => isStopped)
      .then(async () => {
        for (const chore of chores) if (!isStopped) await chore();
      })
      .catch(() => {})
      .finally(() => {
        current = undefined;
      });
  };
  const timer = setInterval(run, everyMs).unref();
  run();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await current;
    },
  };
}
