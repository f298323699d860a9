import { readFileSync } from 'node:fs';
import { loadLibrary } from '../../cluster/additions/folder.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Delivery } from './outbox.ts';
import { packetSender, type Packet, topicOf } from './packet.ts';

export interface KafkaTarget {
  /** `host:port`. */
  readonly broker: string;
  readonly prefix: string;
  readonly cluster: string;
  readonly node: string;
  /** Of the user with the name of the cluster, as SASL PLAIN; undefined: no login is sent. */
  readonly password: string | undefined;
  /** With it the connection is TLS. */
  readonly caFile: string | undefined;
}

/** The part of the library that is used. */
interface Producer {
  send(options: object): Promise<unknown>;
  close(force?: boolean): Promise<void>;
}

const AT_MOST_MS = 30_000;
/** Brokers take messages up to 1 MB, unless they are configured otherwise. */
const MOST_BYTES = 1_000_000;

/**
 * Opens a producer for Kafka: topics `[prefix.]cluster.type`, keys are nodes, messages packed with snappy.
 *
 * Throws: `KAFKA_MISSING` where the library is not installed.
 */
export async function openKafkaDelivery(
  target: KafkaTarget,
): Promise<{ deliver(packet: Packet): Promise<Delivery>; close(): Promise<void> }> {
  const { Producer, stringSerializers } = await kafkaLibrary();
  const [host = '', port = ''] = target.broker.split(':');
  const producer = new Producer({
    clientId: packetSender(target),
    bootstrapBrokers: [{ host, port: Number(port) }],
    serializers: stringSerializers,
    autocreateTopics: true,
    compression: 'snappy',
    // A new topic has no leader for a moment. For outages the outbox repeats.
    retries: 5,
    retryDelay: 300,
    timeout: AT_MOST_MS,
    connectTimeout: AT_MOST_MS,
    ...(target.caFile === undefined ? {} : { tls: { ca: readFileSync(target.caFile), servername: host } }),
    ...(target.password === undefined
      ? {}
      : { sasl: { mechanism: 'PLAIN', username: target.cluster, password: target.password } }),
  }) as Producer;
  return {
    async deliver(packet) {
      const bytes = Buffer.byteLength(packet.text);
      if (bytes > MOST_BYTES)
        return { kind: 'refused', reason: `it has ${bytes} bytes, and brokers take ${MOST_BYTES}; use batch-size` };
      try {
        await producer.send({
          messages: [{ topic: topicOf(packet, target.prefix), key: packet.node, value: packet.text }],
          acks: -1,
        });
        return { kind: 'delivered' };
      } catch (error) {
        return { kind: 'later', reason: `${target.broker}: ${reasonOf(error)}` };
      }
    },
    close: () => producer.close(true),
  };
}

/** The library gathers the errors of its attempts. */
function reasonOf(error: unknown): string {
  const { message, errors = [] } = error as Error & { readonly errors?: readonly Error[] };
  const [first] = errors;
  return first === undefined || first.message === message ? message : `${message}: ${reasonOf(first)}`;
}

/** 16 MB with its own libraries, for those who send to Kafka: installed beside torc, and loaded on use. */
async function kafkaLibrary(): Promise<{
  readonly Producer: new (options: object) => unknown;
  readonly stringSerializers: object;
}> {
  try {
    await loadLibrary('snappy', async () => import('snappy'));
    return (await loadLibrary('@platformatic/kafka', async () => import('@platformatic/kafka'))) as never;
  } catch (cause) {
    throw new Refusal('KAFKA_MISSING', `Kafka cannot be used: ${(cause as Error).message.split('\n')[0]}`, {});
  }
}
