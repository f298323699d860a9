import { useRef } from 'preact/hooks';
import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { firstPace, nextPace, type Pace, paceTexts, rateOf } from '../core/lifecycle/explain/pace.ts';
import { connection } from './connection.ts';
import { useLive, useNow } from './hooks.ts';

/** Ends before the page was opened, from which its first rate is concluded, as in `torc top`. */
const EARLIER_ENDS = 100;
const SELDOM_MS = 600_000;

/** How fast jobs end and how long the rest takes, in the words of `torc top`; nothing where that is not known. */
export function usePace({ workflow_id: id, jobs_by_status: counts }: WorkflowStatus): readonly string[] {
  const nowMs = useNow(1_000);
  const pace = useRef<Pace>(undefined);
  const query = { workflow_id: id, sort_by: 'id', reverse_sort: true, limit: EARLIER_ENDS };
  const earlier = useLive(`ends ${id}`, () => connection.client.listResults({ query }), SELDOM_MS).value;
  if (earlier === undefined) return [];
  const ends = earlier.items.map((each) => Date.parse(each.completion_time)).filter((time) => !Number.isNaN(time));
  pace.current = pace.current === undefined ? firstPace(counts, nowMs, ends) : nextPace(pace.current, counts, nowMs);
  return paceTexts(counts, rateOf(pace.current, nowMs));
}
