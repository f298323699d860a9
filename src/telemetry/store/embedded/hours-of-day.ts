import { jobHoursOf, nodeHoursOf } from '../figures/hours.ts';
import type { JobHour, NodeHour } from '../rows/hours.ts';
import type { EmbeddedRows } from './embedded-rows.ts';
import type { PartOfWindow } from '../queries/selection.ts';
import { DAY_SECONDS } from '../days.ts';
import type { HourTableName } from '../archive/tables.ts';

/** Nodes whose counters are held at a time. Each part reads the list of all samples once, so that a few nodes would take long. */
const NODES = 50;

export type HourPortions = AsyncIterable<readonly (JobHour | NodeHour)[]>;

/** What jobs and nodes of a cluster did in each hour of a day. However many nodes there are, it needs the memory of a few. */
export async function hoursOfDay(
  rows: EmbeddedRows,
  cluster: string,
  day: number,
  nodesAtATime = NODES,
): Promise<Readonly<Record<HourTableName, HourPortions>>> {
  const window = { cluster, from: day * DAY_SECONDS, until: (day + 1) * DAY_SECONDS };
  const names = [...(await rows.firstSamples(window)).keys()].map((key) => key.slice(cluster.length + 1));
  const parts = partsOf(names, nodesAtATime).map((nodes): PartOfWindow => ({ ...window, nodes }));
  return {
    job_hour: eachPart(parts, (part) => jobHoursOf(rows, part)),
    node_hour: eachPart(parts, async function* (part) {
      yield await nodeHoursOf(rows, part);
    }),
  };
}

async function* eachPart<Row>(
  parts: readonly PartOfWindow[],
  hoursOf: (part: PartOfWindow) => AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (const part of parts) yield* hoursOf(part);
}

/** Names in parts of a limited number, each from a first to a last one. SQLite and DuckDB compare bytes, and names are ASCII. */
function partsOf(names: readonly string[], most: number): { readonly first: string; readonly last: string }[] {
  const sorted = names.toSorted();
  return Array.from({ length: Math.ceil(sorted.length / most) }, (_, index) => ({
    first: sorted[index * most] as string,
    last: (sorted[(index + 1) * most - 1] ?? sorted.at(-1)) as string,
  }));
}
