import { formatTimestamp } from '../../../../core/contract/sonar/timestamp.ts';
import { suggest } from '../../../../core/workflow-file/suggest.ts';
import type { Window } from '../../../../telemetry/questions/rows.ts';
import type { TelemetryStore } from '../../../../telemetry/store/telemetry-store.ts';

/** Of any clock: the last time that fits into 32 bits. */
const LAST_TIME = 2 ** 31 - 1;

/** What helps where a question found nothing: the node is not known, or the data are of another time. */
export async function nothingFound(
  store: TelemetryStore,
  { cluster, node, from }: Window,
): Promise<string | undefined> {
  if (node !== undefined) {
    const all = await store.rows.sysinfo({ cluster, node: undefined, from: 0, until: LAST_TIME });
    const names = all.map(({ node: name }) => name);
    if (!names.some((name) => name === node || name.startsWith(`${node}.`))) {
      const near = suggest(node, names);
      return `The store has no node ${node}; ${near === undefined ? 'torc sonar show nodes --from 10w names its nodes' : `did you mean ${near}?`}`;
    }
  }
  const clusters = (await store.clusters()).filter(({ name }) => cluster === undefined || name === cluster);
  const newest = clusters.reduce((latest, each) => Math.max(latest, each.newest ?? 0), 0);
  if (newest === 0) return 'The store has no data yet: torc sonar ingest stores files';
  if (newest >= from) return undefined;
  const text = formatTimestamp(newest);
  return `The newest data are of ${text.slice(0, 16).replace('T', ' ')}: --from ${text.slice(0, 10)} shows them`;
}
