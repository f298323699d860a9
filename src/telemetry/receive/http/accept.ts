import { isSecret } from '../../../cluster/secret.ts';
import { aboutOf } from '../../../core/contract/sonar/envelope.ts';
import type { EnvelopeRecord } from '../../format/envelope-reader.ts';
import { EnvelopeReader } from '../../format/envelope-reader.ts';
import type { TelemetryStore } from '../../store/telemetry-store.ts';
import { type Credential, type ReceiveTask, refusalOf, type HttpReply, httpReplyOf } from '../../messages.ts';

/** What a sender learns about an envelope. */
interface Verdict {
  readonly record: number;
  readonly verdict: 'stored' | 'repeated' | 'refused';
  readonly problem?: string;
}

/**
 * Stores the envelopes of one request, and says so only when all of them are on disk.
 *
 * The sender must prove for each envelope that it may send data of its cluster: by a login whose user is the cluster, by a bearer
 * token, or by the token in `meta`. One that cannot stops the whole request, before anything is stored.
 *
 * A large body is read twice, once for the proofs: as values its envelopes take ten times as much memory as their text.
 */
export async function accept(
  store: TelemetryStore,
  { body, credential, origin }: ReceiveTask,
  received: number,
): Promise<HttpReply> {
  const proven = await prove(store, body, credential);
  if ('status' in proven) return proven;
  const { known } = proven;
  const problems: { readonly record: number; readonly problem: string }[] = [];
  function* noted(): Generator<EnvelopeRecord> {
    for (const record of known ?? recordsOf(body, 'for the last time')) {
      problems.push({ record: record.number, problem: problemOf(record) });
      yield record;
    }
  }
  const results = await store.ingestEach(noted(), { received, origin, cluster: credential.user });
  const verdicts = results.map((result, index): Verdict => {
    const { record, problem } = problems[index] as (typeof problems)[number];
    if (result === 'stored' || result === 'repeated') return { record, verdict: result };
    return { record, verdict: 'refused', problem };
  });
  const count = (wanted: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const answer = {
    stored: count('stored'),
    repeated: count('repeated'),
    refused: count('refused'),
    envelopes: verdicts,
  };
  // One message that is wrong is dropped by its sender; of several, the others count.
  return httpReplyOf(verdicts.length === 1 && answer.refused === 1 ? 422 : 200, answer);
}

/** The refusal of a request whose sender may not store all of it, or its records if they need not be read again. */
async function prove(
  store: TelemetryStore,
  body: ReceiveTask['body'],
  credential: Credential,
): Promise<HttpReply | { readonly known: readonly EnvelopeRecord[] | undefined }> {
  const isSmall = body.length === 1;
  const known: EnvelopeRecord[] = [];
  let [count, isUsable] = [0, false];
  for (const record of recordsOf(body)) {
    count += 1;
    if (isSmall || count === 1) known.push(record);
    else if (count === 2) known.length = 0;
    if (record.envelope === undefined) continue;
    isUsable = true;
    const denied = await deniedFor(store, record, credential);
    if (denied !== undefined) return refusalOf('TELEMETRY_DENIED', denied);
  }
  // Without a usable envelope nothing names a cluster: the login must, or strangers could fill the quarantine.
  const denied = isUsable ? undefined : await deniedFor(store, undefined, credential);
  if (denied !== undefined) return refusalOf('TELEMETRY_DENIED', denied);
  if (!isSmall && count > 1) return { known: undefined };
  for (const block of body.splice(0)) block?.buffer.transfer(0);
  return { known };
}

/** The records of a body; those of a block exist at a time. */
function* recordsOf(body: ReceiveTask['body'], isLast?: 'for the last time'): Generator<EnvelopeRecord> {
  const reader = new EnvelopeReader();
  for (const [index, block] of body.entries()) {
    if (block === undefined) continue;
    const records = reader.push(Buffer.from(block.buffer, block.byteOffset, block.byteLength));
    if (isLast !== undefined) {
      body[index] = undefined;
      // Now, and not when the collector finds it: records have copies.
      block.buffer.transfer(0);
    }
    yield* recordsWithNumber(records);
  }
  yield* recordsWithNumber(reader.end());
}

/** A comma between envelopes is no record. */
const recordsWithNumber = (records: readonly EnvelopeRecord[]) => records.filter(({ number }) => number > 0);

async function deniedFor(
  store: TelemetryStore,
  record: EnvelopeRecord | undefined,
  { user, secret }: Credential,
): Promise<string | undefined> {
  const envelope = record?.envelope;
  const cluster = (envelope && aboutOf(envelope).cluster) ?? user;
  const token = secret ?? envelope?.meta.token;
  if (cluster === undefined) return 'the request names no cluster: neither its envelope nor a login';
  if (user !== undefined && user !== cluster) return `the login is of ${user}, and the envelope is of ${cluster}`;
  if (token === undefined || token === '') return `there is no token for ${cluster} in the request`;
  const expected = await store.tokenHashOf(cluster);
  // Loaded with the first request: 5 ms that no start of a server waits for.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const presented = createHash('sha256').update(token).digest('hex');
  // The same for a cluster that is unknown and one without a token: strangers learn no names.
  return expected !== undefined && isSecret(presented, Buffer.from(expected).toString('hex'))
    ? undefined
    : `the token is not that of ${cluster}`;
}

function problemOf({ problems }: EnvelopeRecord): string {
  const worst = problems.find(({ level }) => level === 'unusable') ?? problems[0];
  if (worst === undefined) return 'it could not be stored';
  return `${worst.field === '' ? '' : `${worst.field}: `}found ${worst.found}; expected ${worst.expected}`;
}
