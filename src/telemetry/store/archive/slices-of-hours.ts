import type { AskedWindow } from '../rows/rows.ts';

/** Processes of which the lists take about 100 MB. */
const SLICE_PROCESSES = 200_000;

/** Parts of a window that begin with hours, each of a limited number of processes, or of one hour. None where there are no hours. */
export function slicesOfHours(
  hours: readonly { readonly from: number; readonly count: number }[],
  window: Pick<AskedWindow, 'from' | 'until'>,
  mostProcesses = SLICE_PROCESSES,
): Pick<AskedWindow, 'from' | 'until'>[] {
  const begins: number[] = [];
  let processes = 0;
  for (const { from, count } of hours) {
    processes += count;
    if (begins.length > 0 && processes <= mostProcesses) continue;
    begins.push(begins.length === 0 ? window.from : from);
    processes = count;
  }
  return begins.map((from, index) => ({ from, until: begins[index + 1] ?? window.until }));
}
