import { setTimeout as pause } from 'node:timers/promises';
import { parseTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import type { EnvelopeRecord } from '../../format/envelope-reader.ts';
import type { TelemetryStore } from '../../store/telemetry-store.ts';
import { Arrivals, StreamFailed } from './arrivals.ts';
import { callsFor } from './calls.ts';
import { findDamaged, isDamage } from './damaged.ts';
import { lagByCluster } from './lag.ts';
import {
  type ConsumerLibrary,
  type KafkaConsumer,
  type KafkaMessage,
  type TopicPosition,
  reasonOf,
} from './library.ts';
import type { MessageTally } from './tally.ts';
import { clusterOfTopic } from './topics.ts';

export interface SessionOptions {
  readonly library: ConsumerLibrary;
  /** What every client of the broker gets: addresses, certificates, login. */
  readonly client: object;
  readonly group: string;
  readonly prefix: string;
  readonly topics: readonly string[];
  readonly store: TelemetryStore;
  readonly tally: MessageTally;
  /** Reads single packs, until the one that cannot be unpacked comes next. */
  readonly isCareful: boolean;
  /** Ends when everything is stored that the broker has. */
  readonly once: boolean;
  readonly signal: AbortSignal;
  /** Unix time. */
  readonly now: () => number;
  readonly onProblem: (problem: string) => void;
  /** Called now and then, when the tally has the lag. */
  readonly onStatus: () => void;
  /** Whether the topics are still those of the session. */
  readonly isCurrent: () => Promise<boolean>;
  /** Whether the store may be tried again after this error. */
  readonly isPassing: (error: unknown) => boolean;
}

/** Messages of one transaction: more lock the store for longer, fewer are slower. */
const MOST_MESSAGES = 500;
const MOST_BYTES = 16_000_000;
/** How long messages wait for others, to be stored together. */
const GATHER_MS = 200;
/** How often the broker is asked for the lag, and for new topics. */
const STATUS_MS = 30_000;
/** A consumer that was killed keeps its partitions for this time. */
const SESSION_MS = 10_000;

type Ended = 'done' | 'topics changed' | 'damaged' | 'careful';

/**
 * Reads topics as a member of a group until it is stopped: stores messages, and then commits their offsets. A
 * consumer that is killed between both reads them again, which changes nothing in the store.
 *
 * Throws: what the library says when the broker is away, and what the store says that does not pass.
 */
export async function runSession(options: SessionOptions): Promise<Ended> {
  const { library, client, group, topics } = options;
  const consumer = new library.Consumer({ ...client, groupId: group, ...RETRIES });
  try {
    const stream = await consumer.consume({
      topics,
      mode: 'committed',
      fallbackMode: 'earliest',
      autocommit: false,
      maxWaitTime: 250,
      ...(options.isCareful ? { maxBytes: 1, maxBytesPerPartition: 1 } : {}),
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: 2 * SESSION_MS,
      heartbeatInterval: SESSION_MS / 5,
    });
    // Errors arrive at the reader, too; without a listener they would end the program while no call reads.
    stream.on('error', () => {});
    try {
      return await new Session(options, consumer).read(new Arrivals(stream));
    } catch (error) {
      if (!(error instanceof StreamFailed) || !isDamage(error.cause)) throw error;
      if (await setDamagedAside(options, consumer)) return 'damaged';
      // The broker gave several packs at once, of which a later one is damaged.
      if (options.isCareful) throw error;
      return 'careful';
    }
  } finally {
    // A broker that is away does not answer a farewell either.
    await Promise.race([consumer.close(true).catch(() => {}), pause(5_000)]);
  }
}

const RETRIES = { retries: 3, retryDelay: 300 };

class Session {
  readonly #options: SessionOptions;
  readonly #consumer: KafkaConsumer;
  /** What is stored, and whose offsets are not committed yet. */
  readonly #reported = new Map<string, TopicPosition>();
  #statusAtMs = 0;

  constructor(options: SessionOptions, consumer: KafkaConsumer) {
    this.#options = options;
    this.#consumer = consumer;
  }

  async read(arrivals: Arrivals): Promise<Ended> {
    const { signal, once, isCareful } = this.#options;
    while (!signal.aborted) {
      const isQuiet = await this.#storeNext(arrivals);
      if (signal.aborted) break;
      if (await this.#isOver(isQuiet && once)) return 'done';
      if (isQuiet && isCareful) return 'topics changed';
      if (this.#isDue() && !(await this.#options.isCurrent())) return 'topics changed';
    }
    return 'done';
  }

  /** Gathers messages for a moment and stores them; true if there were none. */
  async #storeNext(arrivals: Arrivals): Promise<boolean> {
    const batch: KafkaMessage[] = [];
    let bytes = 0;
    const untilMs = performance.now() + GATHER_MS;
    try {
      while (batch.length < MOST_MESSAGES && bytes < MOST_BYTES) {
        const leftMs = untilMs - performance.now();
        const message = leftMs > 0 ? await arrivals.next(leftMs) : undefined;
        if (message === undefined) break;
        batch.push(message);
        bytes += message.value?.length ?? 0;
      }
    } finally {
      // Also where nothing more can be read.
      await this.#store(batch);
    }
    return batch.length === 0;
  }

  #isDue(): boolean {
    if (performance.now() < this.#statusAtMs) return false;
    this.#statusAtMs = performance.now() + STATUS_MS;
    return true;
  }

  /** Asks the broker for the lag now and then; with `--once` and nothing to do, whether there is any. */
  async #isOver(mayBeOver: boolean): Promise<boolean> {
    const { topics, prefix, tally, onStatus } = this.#options;
    if (!mayBeOver && performance.now() < this.#statusAtMs) return false;
    const lag = await lagByCluster(this.#consumer, topics, prefix);
    for (const [cluster, behind] of lag) tally.of(cluster).lag = behind;
    if (performance.now() >= this.#statusAtMs) onStatus();
    return mayBeOver && [...lag.values()].every((behind) => behind === 0);
  }

  async #store(batch: readonly KafkaMessage[]): Promise<void> {
    const { prefix, tally, now } = this.#options;
    for (const call of callsFor(batch, prefix)) {
      const { cluster, origin, records } = call;
      const results = await storeUntilDone(this.#options, records, { received: now(), origin, cluster });
      tally.add(call, results, (text) => parseTimestamp(text)?.seconds);
    }
    for (const { topic, partition, offset, leaderEpoch } of batch) {
      const key = `${topic} ${partition}`;
      if (offset >= (this.#reported.get(key)?.offset ?? 0n))
        this.#reported.set(key, { topic, partition, offset: offset + 1n, leaderEpoch });
    }
    await this.#commit();
  }

  /** What cannot be committed now, because the group changes, is committed with the next messages. If it never is, it is read again. */
  async #commit(): Promise<void> {
    const own = new Set(
      (this.#consumer.assignments ?? []).flatMap(({ topic, partitions }) =>
        partitions.map((partition) => `${topic} ${partition}`),
      ),
    );
    for (const key of this.#reported.keys()) if (!own.has(key)) this.#reported.delete(key);
    const offsets = [...this.#reported.values()];
    if (offsets.length === 0) return;
    try {
      await this.#consumer.commit({ offsets });
      for (const [key, position] of this.#reported) if (offsets.includes(position)) this.#reported.delete(key);
    } catch (error) {
      this.#options.onProblem(`the offsets of the group were not committed: ${reasonOf(error)}`);
    }
  }
}

/** Tries again while the store is away: no offset is committed before. */
async function storeUntilDone(
  { store, signal, isPassing, onProblem }: SessionOptions,
  records: readonly EnvelopeRecord[],
  about: { readonly received: number; readonly origin: string; readonly cluster: string },
) {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, MOST_WAIT_MS)) {
    try {
      return await store.ingestEach(records, about);
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      onProblem(`messages wait: ${(error as Error).message}`);
      await pause(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

const MOST_WAIT_MS = 15_000;

/**
 * Puts messages that cannot be unpacked into quarantine, and goes on behind them. The broker still has them. False if there are
 * none.
 */
async function setDamagedAside(options: SessionOptions, consumer: KafkaConsumer): Promise<boolean> {
  const { prefix, tally, now, onProblem, topics } = options;
  const ends = await consumer.listOffsets({ topics });
  const begins = await consumer.listOffsets({ topics, timestamp: -2n });
  const assigned = (consumer.assignments ?? []).map(({ topic, partitions }) => ({
    topic,
    partitions: [...partitions],
  }));
  const committed = await consumer.listCommittedOffsets({ topics: assigned });
  const positions = assigned.flatMap(({ topic, partitions }) =>
    partitions.map((partition): TopicPosition => {
      const [done, begin] = [committed.get(topic)?.[partition] ?? -1n, begins.get(topic)?.[partition] ?? 0n];
      return { topic, partition, offset: done > begin ? done : begin, leaderEpoch: -1 };
    }),
  );
  const damaged = await findDamaged(consumer, positions, ({ topic, partition }) => ends.get(topic)?.[partition] ?? 0n);
  for (const { topic, partition, offset, until, reason } of damaged) {
    const cluster = clusterOfTopic(topic, prefix) ?? '';
    const place = `topic ${topic}, partition ${partition}, offsets ${offset} to ${until - 1n}`;
    onProblem(`${place}: messages cannot be unpacked (${reason}); they are left out, and the broker still has them`);
    const record: EnvelopeRecord = {
      number: 1,
      line: 1,
      offset: 0,
      bytes: Buffer.from(place),
      hasUnknown: false,
      problems: [
        { level: 'unusable', field: '', found: `messages that cannot be unpacked: ${reason}`, expected: 'envelopes' },
      ],
    };
    await storeUntilDone(options, [record], { received: now(), origin: place, cluster });
    tally.of(cluster).quarantined += Number(until - offset);
    await consumer.commit({ offsets: [{ topic, partition, offset: until, leaderEpoch: -1 }] });
  }
  return damaged.length > 0;
}
