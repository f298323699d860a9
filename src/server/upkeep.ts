import type { Store } from './records/store.ts';

/** How often the change log is pruned. At full speed it grows by 10,000 rows in this time, 50 slices of work. */
const EVERY_MS = 60_000;

/** Prunes the change log at intervals while the server runs. */
export function startUpkeep({ prune }: Store, everyMs = EVERY_MS): { stop(): Promise<void> } {
  let isStopped = false;
  let current: Promise<unknown> | undefined;
  const run = () => {
    // A disk error is reported by `onBroken`, as for every write.
    current ??= prune(() => isStopped)
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
