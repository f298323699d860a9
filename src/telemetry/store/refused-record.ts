import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import type { EnvelopeRecord } from '../read/envelope-reader.ts';

const DAY_SECONDS = 86_400;

/**
 * Why a record cannot be stored, undefined if it can. A time that is more than a day ahead of the receiver is that of a wrong
 * clock: it would be the newest state of its cluster until then.
 */
export function problemOf({ envelope, problems }: EnvelopeRecord, received: number): string | undefined {
  if (envelope === undefined) {
    const { found = '', expected = '', field = '' } = problems.find(({ level }) => level === 'unusable') ?? {};
    return `${field === '' ? '' : `${field}: `}found ${found}; expected ${expected}`;
  }
  const time = (envelope.data === undefined ? envelope.errors[0] : envelope.data.attributes)?.time ?? '';
  const seconds = parseTimestamp(time)?.seconds ?? 0;
  return seconds > received + DAY_SECONDS
    ? `time: found ${time}; expected a time that is at most a day ahead of the receiver`
    : undefined;
}

export const NO_CLUSTER = 'it names no cluster; name one with --cluster';
