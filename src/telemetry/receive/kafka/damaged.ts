import { errorsIn, type KafkaConsumer, type TopicPosition } from './library.ts';

/** Messages that cannot be unpacked: from `offset` up to, and without, `until`. */
export interface DamagedMessages {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly until: bigint;
  readonly reason: string;
}

/**
 * Whether an error says that messages cannot be unpacked, rather than that the broker cannot be reached: the library gives its
 * own errors, and those of the system, a code; what a decompressor throws has none of these.
 */
export function isDamage(error: unknown): boolean {
  return errorsIn(error).some((each) => {
    const { code } = each as { readonly code?: unknown };
    if (code === 'PLT_KFK_UNSUPPORTED_COMPRESSION') return true;
    return typeof code === 'string' ? /^(?:Z_|ZSTD_|ERR_BUFFER|ERR_OUT_OF_RANGE)/.test(code) : !('errors' in each);
  });
}

/**
 * Finds the messages that cannot be unpacked among those that come next. Messages are packed together; the broker gives
 * whole packs, so the first offset behind a damaged pack is found by asking.
 */
export async function findDamaged(
  consumer: KafkaConsumer,
  positions: readonly TopicPosition[],
  ends: (position: TopicPosition) => bigint,
): Promise<DamagedMessages[]> {
  const found: DamagedMessages[] = [];
  for (const position of positions) {
    const { topic, partition, offset } = position;
    const end = ends(position);
    if (offset >= end) continue;
    const reason = await damageAt(consumer, position);
    if (reason === undefined) continue;
    // The damaged pack ends between `bad` and `good`.
    let [bad, good] = [offset, end];
    for (let step = 1n; bad + step < end; step *= 2n) {
      if ((await damageAt(consumer, { ...position, offset: bad + step })) === undefined) {
        good = bad + step;
        break;
      }
      bad += step;
    }
    while (good - bad > 1n) {
      const middle = (bad + good) / 2n;
      if ((await damageAt(consumer, { ...position, offset: middle })) === undefined) good = middle;
      else bad = middle;
    }
    found.push({ topic, partition, offset, until: good, reason });
  }
  return found;
}

/** Why the pack with this message cannot be unpacked; undefined if it can. */
async function damageAt(
  consumer: KafkaConsumer,
  { topic, partition, offset }: TopicPosition,
): Promise<string | undefined> {
  const metadata = (await consumer.metadata({ topics: [topic] })).topics.get(topic);
  try {
    await consumer.fetch({
      node: metadata?.partitions[partition]?.leader,
      minBytes: 0,
      // One pack: the broker gives at least one, whatever its size.
      maxBytes: 1,
      maxWaitTime: 100,
      topics: [
        {
          topicId: metadata?.id,
          partitions: [
            { partition, fetchOffset: offset, partitionMaxBytes: 1, currentLeaderEpoch: -1, lastFetchedEpoch: -1 },
          ],
        },
      ],
    });
    return undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return errorsIn(error).at(-1)?.message ?? 'unknown';
  }
}
