import { valueIn } from '../host/environment-of.ts';
import { proofOfEnd } from '../host/facts.ts';
import { processesWhere } from '../host/marked.ts';
import type { Machine } from '../host/machine.ts';
import { MARK_VARIABLE } from '../../core/attempt/belongs-to.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import { isNothing, sumOfAmounts } from '../../core/lifecycle/share/amounts.ts';
import { JOB_SHARE_VARIABLE, jobShareOf } from '../../core/lifecycle/share/job-share.ts';
import type { SharingRun } from '../../core/lifecycle/share/sharing-run.ts';

/** What is left of runs whose processes have ended: what their jobs hold that still run, by the id of the run; empty for nothing. */
export function leftBy(runs: readonly SharingRun[], here: Machine): ReadonlyMap<string, Amounts> {
  const { boot_id, pid_namespace } = here;
  const gone = runs.filter(({ pid, startTicks, isLeft }) => {
    return (
      isLeft === true ||
      proofOfEnd({ boot_id, pid_namespace, pid, start_ticks: startTicks }, Number.NaN, here) === 'gone'
    );
  });
  if (gone.length === 0) return new Map();
  const left = new Map(gone.map(({ mark }) => [mark, new Map<string, Amounts>()]));
  processesWhere((environment) => {
    const attempts = left.get(valueIn(environment, MARK_VARIABLE) ?? '');
    const share = attempts && jobShareOf(valueIn(environment, JOB_SHARE_VARIABLE));
    // The processes of one attempt say the same.
    if (share !== undefined) attempts?.set(share.of, share.has);
    return false;
  });
  return new Map(gone.map(({ id, mark }) => [id, sumOfAmounts([...(left.get(mark)?.values() ?? [])])]));
}

/** The rows without what has ended. */
export const withoutGone = (runs: readonly SharingRun[], left: ReadonlyMap<string, Amounts>): SharingRun[] =>
  runs.flatMap((run) => {
    const holds = left.get(run.id);
    if (holds === undefined) return [run];
    return isNothing(holds) ? [] : [{ ...run, holds, waits: undefined, isLeft: true }];
  });
