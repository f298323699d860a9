import type { Envelope } from '../../../core/contract/sonar/envelope.ts';
import { EnvelopeReader, type EnvelopeRecord } from '../../format/envelope-reader.ts';
import type { KafkaMessage } from './library.ts';
import { clusterOfTopic } from './topics.ts';

/** Records that are stored in one call. */
export interface Call {
  readonly cluster: string;
  readonly origin: string;
  readonly records: EnvelopeRecord[];
}

/**
 * The calls of the store for messages: one for each cluster, and one for each message that has anything wrong, whose place is
 * then its origin.
 *
 * Who may write to a topic speaks for its cluster and for no other: an envelope that names another cluster is wrong.
 */
export function callsFor(messages: readonly KafkaMessage[], prefix: string): Call[] {
  const calls: Call[] = [];
  const byCluster = new Map<string, Call>();
  for (const { topic, partition, offset, value } of messages) {
    const cluster = clusterOfTopic(topic, prefix) ?? '';
    const records = recordsIn(value, cluster);
    if (records.length === 0) continue;
    if (records.some(({ envelope }) => envelope === undefined)) {
      calls.push({ cluster, origin: `topic ${topic}, partition ${partition}, offset ${offset}`, records });
      continue;
    }
    const call = byCluster.get(cluster);
    if (call !== undefined) {
      for (const record of records) call.records.push(record);
      continue;
    }
    byCluster.set(cluster, { cluster, origin: `topics of ${cluster}`, records });
  }
  return [...byCluster.values(), ...calls];
}

function recordsIn(value: Buffer | undefined, cluster: string): EnvelopeRecord[] {
  if (value === undefined) return [];
  const reader = new EnvelopeReader();
  return [...reader.push(value), ...reader.end()]
    .filter(({ number }) => number > 0)
    .map((record) => {
      const named = record.envelope === undefined ? undefined : clusterOf(record.envelope);
      return named === undefined || named === cluster ? record : ofAnotherCluster(record, named, cluster);
    });
}

const clusterOf = ({ data, errors }: Envelope): string | undefined =>
  (data === undefined ? errors[0] : data.attributes)?.cluster;

function ofAnotherCluster(
  { number, line, offset, bytes }: EnvelopeRecord,
  found: string,
  expected: string,
): EnvelopeRecord {
  const problem = {
    level: 'unusable',
    field: 'data.attributes.cluster',
    found: `"${found}"`,
    expected: `"${expected}", the cluster of its topic`,
  } as const;
  return { number, line, offset, bytes, hasUnknown: false, problems: [problem] };
}
