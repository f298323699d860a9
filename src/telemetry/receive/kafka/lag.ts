import type { KafkaConsumer, Offsets } from './library.ts';
import { clusterOfTopic } from './topics.ts';

/** The oldest message that the broker still has. */
const EARLIEST = -2n;

/** Messages that the group has not stored, by cluster: those of all its consumers, as the broker knows them. */
export async function lagByCluster(
  consumer: KafkaConsumer,
  topics: readonly string[],
  prefix: string,
): Promise<ReadonlyMap<string, number>> {
  const ends = await consumer.listOffsets({ topics });
  const begins = await consumer.listOffsets({ topics, timestamp: EARLIEST });
  const committed = await consumer.listCommittedOffsets({
    topics: topics.map((topic) => ({ topic, partitions: [...(ends.get(topic) ?? []).keys()] })),
  });
  return lagOf({ ends, begins, committed }, prefix);
}

/** A group that has committed nothing for a partition begins with its oldest message. */
export function lagOf(
  { ends, begins, committed }: { readonly ends: Offsets; readonly begins: Offsets; readonly committed: Offsets },
  prefix: string,
): ReadonlyMap<string, number> {
  const lag = new Map<string, number>();
  for (const [topic, partitions] of ends) {
    const cluster = clusterOfTopic(topic, prefix) ?? '';
    for (const [partition, end] of partitions.entries()) {
      const begin = begins.get(topic)?.[partition] ?? 0n;
      const done = committed.get(topic)?.[partition] ?? -1n;
      const behind = end - (done > begin ? done : begin);
      lag.set(cluster, (lag.get(cluster) ?? 0) + (behind > 0n ? Number(behind) : 0));
    }
  }
  return lag;
}
