import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { aboutOf } from '../../core/contract/sonar/envelope.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import type { EnvelopeRecord } from '../format/envelope-reader.ts';
import { DAY_SECONDS } from './days.ts';
import type { IngestOptions } from './telemetry-store.ts';

/**
 * Why a record cannot be stored, undefined if it can. A time that is more than a day ahead of the receiver is that of a wrong
 * clock: it would be the newest state of its cluster until then.
 */
export function problemOf({ envelope, problems }: EnvelopeRecord, received: number): string | undefined {
  if (envelope === undefined) {
    const { found = '', expected = '', field = '' } = problems.find(({ level }) => level === 'unusable') ?? {};
    return `${field === '' ? '' : `${field}: `}found ${found}; expected ${expected}`;
  }
  const time = aboutOf(envelope).time ?? '';
  const seconds = parseTimestamp(time)?.seconds ?? 0;
  return seconds > received + DAY_SECONDS
    ? `time: found ${time}; expected a time that is at most a day ahead of the receiver`
    : undefined;
}

export const NO_CLUSTER = 'it names no cluster; name one with --cluster';

/** The values of a record in quarantine, in every store: its time, origin, position, problem, bytes and hash. */
export const quarantineRow = (
  { bytes, number, line }: EnvelopeRecord,
  problem: string,
  { received, origin }: IngestOptions,
) =>
  [
    received,
    origin,
    `record ${number} (line ${line})`,
    problem,
    gzipSync(withoutSecrets(bytes.subarray(0, KEPT_RAW))),
    createHash('sha256').update(origin).update('\0').update(bytes).digest(),
  ] as const;

/** Enough to see what it was. */
const KEPT_RAW = 65_536;

/** Tokens and passwords prove who sent the data; nothing of them is stored. */
const withoutSecrets = (raw: Buffer): Buffer =>
  Buffer.from(
    raw.toString('latin1').replaceAll(/("(?:token|sasl-password)"\s*:\s*")(?:[^"\\]|\\.)*/g, '$1removed'),
    'latin1',
  );

/**
 * Bytes of the records that are stored together where each becomes rows first. As values and rows they take ten times as much memory: a body of 64 MiB in one would take 640 MB.
 * Most bodies, and a day of a node, are one.
 */
const PORTION_BYTES = 4 * 2 ** 20;

/** Records in the order in which they come, those of a portion at a time. */
export function* portionsOfRecords(records: Iterable<EnvelopeRecord>): Generator<readonly EnvelopeRecord[]> {
  let portion: EnvelopeRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    portion.push(record);
    bytes += record.bytes.length;
    if (bytes < PORTION_BYTES) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}
