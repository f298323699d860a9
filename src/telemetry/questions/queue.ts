import { HELD_PRIORITY } from '../../core/contract/sonar/conventions.ts';
import type { TelemetryQueue } from '../../core/contract/telemetry.ts';
import type { AnswerOf } from '../answers.ts';
import { type Merged, rankOfState, mergedValues } from '../store/rows/merged-job.ts';
import { storedJson } from '../store/rows/cells.ts';
import type { SlurmJobRow } from '../store/rows/records.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

/** The queue of a partition: what waits now, and how long jobs waited that started within the window. */
export type PartitionQueue = AnswerOf<typeof TelemetryQueue>;

export async function queueOf(source: TelemetryRows, window: AskedWindow): Promise<PartitionQueue[]> {
  const jobs = await source.slurmJobs({ ...window, from: 0 });
  // A pending job may name several partitions: it waits in each.
  const places = jobs.flatMap((job) => job.partition.split(',').map((partition) => ({ ...job, partition })));
  const groups = Map.groupBy(places, ({ cluster, partition }) => `${cluster} ${partition}`);
  return [...groups.values()].map((group) => {
    const { cluster, partition } = group[0] as (typeof group)[number];
    const ranks = Map.groupBy(group, ({ state }) => rankOfState(state));
    const isInside = (time: number | undefined) => time !== undefined && time >= window.from && time < window.until;
    const waits = group
      .filter(({ start, submit }) => isInside(start) && submit !== undefined)
      .map(({ start = 0, submit = 0 }) => Math.max(0, start - submit))
      .toSorted((one, other) => one - other);
    const ended = (ranks.get(3) ?? []).filter(({ end, seen }) => isInside(end ?? seen));
    const pending = ranks.get(1) ?? [];
    const oldest = pending.reduce<number | undefined>(
      (least, { submit }) => (submit !== undefined && (least === undefined || submit < least) ? submit : least),
      undefined,
    );
    return {
      cluster,
      partition,
      pending: pending.length,
      held: pending.filter(isHeld).length,
      running: (ranks.get(2) ?? []).length,
      oldestPendingSeconds: oldest === undefined ? undefined : Math.max(0, window.until - oldest),
      started: waits.length,
      medianWaitSeconds: waits[Math.floor(waits.length / 2)],
      longestWaitSeconds: waits.at(-1),
      finished: ended.length,
      failed: ended.filter(({ state }) => state !== 'COMPLETED').length,
    };
  });
}

function isHeld({ fields }: SlurmJobRow): boolean {
  const { priority } = mergedValues(storedJson(fields) as Merged);
  return priority === HELD_PRIORITY;
}
