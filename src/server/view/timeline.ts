import { statusOf } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { TimelineAttempt, TimelineBand, WorkflowTimeline } from '../../core/contract/view.ts';
import type { AttemptList } from '../../core/lifecycle/timeline/attempt-list.ts';
import { bandsOf, type TimeBand, type TimeWindow } from '../../core/lifecycle/timeline/time-bands.ts';
import type { TimeBins } from '../../core/lifecycle/timeline/time-bins.ts';
import { inSlices } from '../store/slices.ts';
import { type AttemptsOf, createKeptReplies } from './attempts.ts';
import type { FamiliesOf } from './families.ts';
import type { ViewQueries } from './queries.ts';
import { createTimelineParts, type TimelineParts } from './timeline-parts.ts';

const [BINS, BANDS] = [120, 100];
/** Replies that are kept of a reading: pages with the same link ask the same. */
const KEPT_REPLIES = 16;

export interface TimelineQuery {
  readonly bins?: number | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly by?: 'family' | 'runner' | undefined;
  readonly bands?: number | undefined;
  readonly attempts?: number | undefined;
}

/** Attempts of the current run over time. */
export function createTimelines(queries: ViewQueries, familiesOf: FamiliesOf, attemptsOf: AttemptsOf) {
  const partsOf = createTimelineParts(queries, familiesOf);
  const replies = createKeptReplies<WorkflowTimeline>(KEPT_REPLIES);

  return async (workflowId: number, query: TimelineQuery): Promise<WorkflowTimeline> => {
    const [from, to] = [secondsOf(query.from), secondsOf(query.to)];
    if (from !== undefined && to !== undefined && from >= to)
      throw new Refusal('PARAMETER_REFUSED', `from: expected a time before ${query.to}, found ${query.from}`, {
        from: query.from,
        to: query.to,
      });
    const list = await attemptsOf(workflowId, to);
    const window = { fromSeconds: from ?? list.firstSeconds, toSeconds: to ?? list.lastSeconds };
    return replies(list, JSON.stringify(query), () =>
      replyOf(workflowId, list, { ...window, bins: query.bins ?? BINS }, query),
    );
  };

  async function replyOf(
    workflowId: number,
    list: AttemptList,
    window: TimeWindow,
    { by, bands: mostBands = BANDS, attempts: mostFew = 0 }: TimelineQuery,
  ): Promise<WorkflowTimeline> {
    if (list.length === 0) return { bin_seconds: 0, running: [], ended: [], failed: [] };
    const parts = by === undefined ? undefined : await partsOf[by](workflowId, list);
    const steps = bandsOf(list, window, { partOf: parts?.of, parts: parts?.length ?? 0, mostBands, mostFew });
    const { whole, bands, bandsLeftOut, few } = await inSlices(steps);
    return {
      from: textOf(whole.bins.fromSeconds),
      bin_seconds: whole.bins.binSeconds,
      ...seriesOf(whole.bins),
      run_from: textOf(list.firstSeconds),
      run_to: textOf(list.lastSeconds),
      ...(parts === undefined ? {} : { bands: named(bands, parts), bands_left_out: bandsLeftOut }),
      ...(mostFew === 0 || few === undefined ? {} : { attempts: drawnAttempts(list, few, bands, parts) }),
    };
  }

  function drawnAttempts(
    list: AttemptList,
    few: readonly number[],
    bands: readonly TimeBand[],
    parts: TimelineParts | undefined,
  ): TimelineAttempt[] {
    const hasEnded = (attempt: number) => list.resultIds[attempt] !== 0;
    const ids = (of: Float64Array, are: boolean) =>
      JSON.stringify(few.filter((each) => hasEnded(each) === are).map((each) => of[each]));
    const ended = new Map(queries.endedAttempts.all({ ids: ids(list.resultIds, true) }).map((row) => [row.id, row]));
    const running = new Map(
      queries.runningAttempts.all({ ids: ids(list.jobIds, false) }).map((row) => [row.job_id, row]),
    );
    const shown = new Set(bands.map(({ part }) => part));
    return few
      .toSorted((one, other) => (list.startSeconds[one] as number) - (list.startSeconds[other] as number))
      .flatMap((attempt) => {
        // One whose job was deleted since is left out.
        const row = hasEnded(attempt)
          ? ended.get(list.resultIds[attempt] as number)
          : running.get(list.jobIds[attempt] as number);
        if (row === undefined) return [];
        const part = parts?.of(attempt) ?? -1;
        const { id: _, status, ...rest } = row;
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
        return {
          ...(given as Omit<TimelineAttempt, 'status' | 'start'>),
          ...(shown.has(part) ? { band: parts?.keyOf(part) } : {}),
          status: statusOf(status),
          start: textOf(list.startSeconds[attempt] as number),
          ...(hasEnded(attempt) ? { end: textOf(list.endSeconds[attempt] as number) } : {}),
        };
      });
  }
}

function named(bands: readonly TimeBand[], parts: TimelineParts): TimelineBand[] {
  const names = parts.namesOf(bands.flatMap(({ part }) => (part === undefined ? [] : [part])));
  return bands.map(({ part, attempts, retries, bins }) => ({
    ...(part === undefined
      ? { name: 'others' }
      : { key: parts.keyOf(part), name: names.get(part) ?? parts.keyOf(part) }),
    attempts,
    retries,
    ...seriesOf(bins),
  }));
}

const secondsOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time) / 1000);
const textOf = (seconds: number) => new Date(Math.round(seconds * 1000)).toISOString();
/** Further digits are twice the bytes, and no one sees them. */
const seriesOf = ({ running, ended, failed }: TimeBins) => ({
  running: running.map((each) => Math.round(each * 1e6) / 1e6),
  ended,
  failed,
});
