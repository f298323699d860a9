import { aboutOf } from '../../../core/contract/sonar/envelope.ts';
import type { EnvelopeRecord } from '../../format/envelope-reader.ts';
import type { IngestOptions, TelemetryStore } from '../../store/telemetry-store.ts';

/** What became of the records of a call. */
export interface IngestCounts {
  stored: number;
  /** Envelopes that the store had already. */
  repeated: number;
  quarantined: number;
  /** Envelopes of clusters that were not added, which are not stored. */
  readonly unknownClusters: Map<string, number>;
}

export const noCounts = (): IngestCounts => ({ stored: 0, repeated: 0, quarantined: 0, unknownClusters: new Map() });

/** Stores records and counts what became of them. */
export async function ingestInto(
  store: TelemetryStore,
  records: readonly EnvelopeRecord[],
  options: IngestOptions,
): Promise<IngestCounts> {
  const counts = noCounts();
  for (const [index, result] of (await store.ingestEach(records, options)).entries()) {
    if (result === 'stored') counts.stored++;
    else if (result === 'repeated') counts.repeated++;
    else if (result === 'quarantined') counts.quarantined++;
    else if (result === 'unknown cluster') {
      const { envelope } = records[index] as EnvelopeRecord;
      const name = (envelope && aboutOf(envelope).cluster) ?? '';
      counts.unknownClusters.set(name, (counts.unknownClusters.get(name) ?? 0) + 1);
    }
  }
  return counts;
}
