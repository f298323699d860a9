import { groupOf, oomKillsIn } from '../../../cluster/host/control-group.ts';

/** The processes that the kernel killed for lack of memory, as the control group of this process counts them. */
export interface KernelKills {
  /** Whether the kernel killed this process: it ended by SIGKILL just now, and this program did not send it. */
  explain(): boolean;
  close(): void;
}

/** Only a kill of the last seconds explains an end: the group may have other processes, of which one was killed before. */
const FORGOTTEN_MS = 2_000;

/** `count` is undefined where nothing counts. */
export function createKernelKills(count: () => number | undefined = ownCount()): KernelKills {
  let known = count();
  let latest = known;
  const timer =
    known === undefined
      ? undefined
      : setInterval(() => {
          // The end of a process is reported after its kill: what was counted just now may explain it.
          known = latest;
          latest = count();
        }, FORGOTTEN_MS).unref();
  return {
    explain() {
      if (known === undefined) return false;
      const isMore = (count() ?? 0) > known;
      // One kill explains one end.
      if (isMore) known += 1;
      return isMore;
    },
    close: () => clearInterval(timer),
  };
}

function ownCount(): () => number | undefined {
  const group = groupOf('self');
  return () => group && oomKillsIn(group);
}
