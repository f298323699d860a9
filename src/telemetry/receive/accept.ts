import type { EnvelopeRecord } from '../read/envelope-reader.ts';
import { EnvelopeReader } from '../read/envelope-reader.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import { type Credential, type ReceiveTask, refusalOf, type Reply, replyOf } from './thread/messages.ts';

/** What a sender learns about an envelope. */
interface Verdict {
  readonly record: number;
  readonly verdict: 'stored' | 'repeated' | 'refused';
  readonly problem?: string;
}

/**
 * Stores the envelopes of one request in one transaction, and says so only when they are on disk.
 *
 * The sender must prove for each envelope that it may send data of its cluster: by a login whose user is the cluster, by a bearer
 * token, or by the token in `meta`. One that cannot stops the whole request, before anything is stored.
 */
export async function accept(
  store: TelemetryStore,
  { body, credential, origin }: ReceiveTask,
  received: number,
): Promise<Reply> {
  const reader = new EnvelopeReader();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const records = [...reader.push(bytes), ...reader.end()].filter(({ number }) => number > 0);
  const usable = records.filter(({ envelope }) => envelope !== undefined);
  // Without a usable envelope nothing names a cluster: the login must, or strangers could fill the quarantine.
  const clusters = usable.length === 0 ? [undefined] : usable;
  for (const record of clusters) {
    const denied = await deniedFor(store, record, credential);
    if (denied !== undefined) return refusalOf('TELEMETRY_DENIED', denied);
  }
  const results = await store.ingestEach(records, { received, origin, cluster: credential.user });
  const verdicts = results.map((result, index): Verdict => {
    const record = records[index] as EnvelopeRecord;
    if (result === 'stored' || result === 'repeated') return { record: record.number, verdict: result };
    return { record: record.number, verdict: 'refused', problem: problemOf(record) };
  });
  const count = (wanted: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const answer = {
    stored: count('stored'),
    repeated: count('repeated'),
    refused: count('refused'),
    envelopes: verdicts,
  };
  // One message that is wrong is dropped by its sender; of several, the others count.
  return replyOf(verdicts.length === 1 && answer.refused === 1 ? 422 : 200, answer);
}

async function deniedFor(
  store: TelemetryStore,
  record: EnvelopeRecord | undefined,
  { user, secret }: Credential,
): Promise<string | undefined> {
  const envelope = record?.envelope;
  const about = envelope?.data === undefined ? envelope?.errors[0] : envelope.data.attributes;
  const cluster = about?.cluster ?? user;
  const token = secret ?? envelope?.meta.token;
  if (cluster === undefined) return 'the request names no cluster: neither its envelope nor a login';
  if (user !== undefined && user !== cluster) return `the login is of ${user}, and the envelope is of ${cluster}`;
  if (token === undefined || token === '') return `there is no token for ${cluster} in the request`;
  const expected = await store.tokenHashOf(cluster);
  // Loaded with the first request: 5 ms that no start of a server waits for.
  const { createHash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const presented = createHash('sha256').update(token).digest();
  // The same for a cluster that is unknown and one without a token: strangers learn no names.
  return expected !== undefined && timingSafeEqual(presented, expected)
    ? undefined
    : `the token is not that of ${cluster}`;
}

function problemOf({ problems }: EnvelopeRecord): string {
  const worst = problems.find(({ level }) => level === 'unusable') ?? problems[0];
  if (worst === undefined) return 'it could not be stored';
  return `${worst.field === '' ? '' : `${worst.field}: `}found ${worst.found}; expected ${worst.expected}`;
}
