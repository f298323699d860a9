/** The part of the library `@platformatic/kafka` that a consumer uses: it is installed beside torc, and loaded on use. */
import { loadLibrary } from '../../../cluster/additions/folder.ts';
import { Refusal } from '../../../core/contract/refusals.ts';

export interface KafkaMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly leaderEpoch: number;
  /** Undefined for a message without a value. */
  readonly value?: Buffer | undefined;
}

export interface TopicPosition {
  readonly topic: string;
  readonly partition: number;
  /** The message that comes next. */
  readonly offset: bigint;
  readonly leaderEpoch: number;
}

export type Offsets = ReadonlyMap<string, readonly bigint[]>;

interface TopicMetadata {
  readonly id: string;
  readonly partitionsCount: number;
  readonly partitions: Readonly<Record<number, { readonly leader: number }>>;
}

export interface KafkaConsumer {
  readonly assignments: readonly { readonly topic: string; readonly partitions: readonly number[] }[] | null;
  readonly topics: { track(...topics: string[]): unknown };
  consume(options: object): Promise<KafkaStream>;
  commit(options: { readonly offsets: readonly TopicPosition[] }): Promise<void>;
  fetch(options: object): Promise<unknown>;
  listOffsets(options: { readonly topics: readonly string[]; readonly timestamp?: bigint }): Promise<Offsets>;
  listCommittedOffsets(options: {
    readonly topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[];
  }): Promise<Offsets>;
  metadata(options: {
    readonly topics: readonly string[];
  }): Promise<{ readonly topics: ReadonlyMap<string, TopicMetadata> }>;
  close(force?: boolean): Promise<void>;
  on(event: string, listener: () => void): void;
}

interface KafkaStream extends AsyncIterable<KafkaMessage> {
  on(event: 'error', listener: (error: Error) => void): void;
  close(): Promise<void>;
}

interface KafkaAdmin {
  listTopics(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ConsumerLibrary {
  readonly Consumer: new (options: object) => KafkaConsumer;
  readonly Admin: new (options: object) => KafkaAdmin;
}

/** Throws: `KAFKA_MISSING` where the library is not installed. */
export async function consumerLibrary(): Promise<ConsumerLibrary> {
  try {
    return await loadLibrary(
      '@platformatic/kafka',
      async () => (await import('@platformatic/kafka')) as unknown as ConsumerLibrary,
    );
  } catch (cause) {
    throw new Refusal('KAFKA_MISSING', `Kafka cannot be used: ${(cause as Error).message.split('\n')[0]}`, {});
  }
}

/** The library gathers the errors of its attempts: all of them, the outer ones first. */
export function errorsIn(error: unknown): Error[] {
  const { errors = [], cause } = error as { readonly errors?: readonly unknown[]; readonly cause?: unknown };
  return [
    ...(error instanceof Error ? [error] : []),
    ...errors.flatMap(errorsIn),
    ...(cause instanceof Error ? errorsIn(cause) : []),
  ];
}

/** The first error of the network or of the broker, which says more than that attempts failed. */
export function reasonOf(error: unknown): string {
  const all = errorsIn(error);
  return (all.at(-1) ?? (error as Error)).message;
}
