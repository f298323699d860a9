import type { IngestResult } from '../../store/telemetry-store.ts';
import type { Call } from './calls.ts';

/** What was done for a cluster since the consumer started. */
export interface ClusterTally {
  readonly cluster: string;
  stored: number;
  repeated: number;
  quarantined: number;
  /** Unix time of its newest sample. */
  newestSample: number | undefined;
  /** Messages of its topics that the group has not stored; undefined until the broker was asked. */
  lag: number | undefined;
}

/** Counts what became of messages, by cluster. */
export class MessageTally {
  readonly #clusters = new Map<string, ClusterTally>();

  of(cluster: string): ClusterTally {
    let found = this.#clusters.get(cluster);
    if (found === undefined) {
      found = { cluster, stored: 0, repeated: 0, quarantined: 0, newestSample: undefined, lag: undefined };
      this.#clusters.set(cluster, found);
    }
    return found;
  }

  add(
    { cluster, records }: Call,
    results: readonly IngestResult[],
    timeOf: (text: string) => number | undefined,
  ): void {
    const tally = this.of(cluster);
    for (const [index, result] of results.entries()) {
      if (result === 'stored') tally.stored++;
      else if (result === 'repeated') tally.repeated++;
      else if (result === 'quarantined') tally.quarantined++;
      const data = records[index]?.envelope?.data;
      if (data?.type !== 'sample' || result === 'quarantined') continue;
      const time = timeOf(data.attributes.time);
      if (time !== undefined && time > (tally.newestSample ?? -Infinity)) tally.newestSample = time;
    }
  }

  clusters(): readonly ClusterTally[] {
    return [...this.#clusters.values()].toSorted((one, other) => (one.cluster < other.cluster ? -1 : 1));
  }
}
