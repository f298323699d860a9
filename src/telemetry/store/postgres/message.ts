import { aboutOf } from '../../../core/contract/sonar/envelope.ts';
import type { LedgerMessage } from '../message.ts';

/** A message of a call. */
export interface ReceivedEnvelope extends LedgerMessage {
  /** Its place in the call. */
  readonly index: number;
}

/** Unique within the store. */
export const keyOf = ({ cluster, type, sha256 }: Pick<ReceivedEnvelope, 'cluster' | 'type' | 'sha256'>): string =>
  `${cluster} ${type} ${sha256}`;

/** Texts of keys: an index takes 2,700 bytes. */
const LONGEST_KEY = 500;

/** Why PostgreSQL cannot store an envelope that the embedded store can. */
export function problemFor({ envelope, mayHaveNul }: LedgerMessage): string | undefined {
  const nul = mayHaveNul ? placeOfNul(envelope, '') : undefined;
  if (nul !== undefined) return `${nul}: found a NUL character (U+0000); PostgreSQL stores none in a text`;
  const { data } = envelope;
  const names = [
    ['node', String(aboutOf(envelope).node ?? '')],
    ...(data?.type === 'job'
      ? (data.attributes.slurm_jobs ?? []).map(({ job_step: step = '' }, index) => [
          `slurm_jobs[${index}].job_step`,
          step,
        ])
      : []),
  ];
  const long = names.find(([, text = '']) => text.length > LONGEST_KEY);
  return long === undefined
    ? undefined
    : `data.attributes.${long[0]}: found a text of ${long[1]?.length} characters; expected at most ${LONGEST_KEY}`;
}

function placeOfNul(value: unknown, place: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? place : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const own = Array.isArray(value) ? `${place}[${name}]` : place === '' ? name : `${place}.${name}`;
    const found = name.includes('\0') ? own.replaceAll('\0', '\\u0000') : placeOfNul(each, own);
    if (found !== undefined) return found;
  }
  return undefined;
}
