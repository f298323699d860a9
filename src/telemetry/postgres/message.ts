import { createHash } from 'node:crypto';
import { encodeAttributes, exactJson } from '../../core/contract/sonar/encode.ts';
import type { Envelope } from '../../core/contract/sonar/envelope.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import type { EnvelopeRecord } from '../read/envelope-reader.ts';
import { unknownMembers } from '../store/unknown-members.ts';

/** An envelope with what the ledger has of it. */
export interface ReceivedEnvelope {
  /** Its place in the call. */
  readonly index: number;
  readonly envelope: Envelope;
  readonly cluster: number;
  readonly type: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Unique within the store. */
  readonly key: string;
  readonly node: string | undefined;
  /** Unix time. */
  readonly time: number;
  readonly zone: number;
  readonly source: string;
  readonly content: string | undefined;
  readonly topoSvg: string | undefined;
  readonly topoText: string | undefined;
  readonly members: string | undefined;
  /** Some text of it may have a NUL character; if not, none has. */
  readonly mayHaveNul: boolean;
}

export const aboutOf = (envelope: Envelope) =>
  (envelope.data === undefined ? envelope.errors[0] : envelope.data.attributes) ?? { time: '' };

export function messageOf(
  { envelope, hasUnknown }: EnvelopeRecord & { readonly envelope: Envelope },
  index: number,
  { id, name }: { readonly id: number; readonly name: string },
): ReceivedEnvelope {
  const about = aboutOf(envelope);
  const { data } = envelope;
  const text =
    data === undefined
      ? exactJson(envelope.errors)
      : encodeAttributes(data.type, { ...data.attributes, cluster: name });
  const sha256 = createHash('sha256').update(text).digest('hex');
  const type = data?.type ?? 'error';
  const instant = parseTimestamp(about.time) ?? { seconds: 0, offsetMinutes: 0 };
  // A token proves who sent the data; it is not part of them and is stored nowhere.
  const { token, ...meta } = envelope.meta;
  const source = exactJson(meta);
  const unknown = hasUnknown ? unknownMembers(envelope) : [];
  const members = unknown.length === 0 ? undefined : exactJson(unknown);
  return {
    index,
    envelope,
    cluster: id,
    type,
    sha256,
    key: keyOf(id, type, sha256),
    node: 'node' in about && typeof about.node === 'string' ? about.node : undefined,
    time: instant.seconds,
    zone: instant.offsetMinutes,
    source,
    members,
    // To look into each text of each process would take longer than to store it.
    mayHaveNul: [text, source, members ?? ''].some((each) => each.includes(NUL)) || token?.includes('\0') === true,
    ...bodyOf(envelope),
  };
}

export const keyOf = (cluster: number, type: string, sha256: string): string => `${cluster} ${type} ${sha256}`;

/** What is stored as text: it repeats, and equal texts are stored once. */
function bodyOf(envelope: Envelope): Pick<ReceivedEnvelope, 'content' | 'topoSvg' | 'topoText'> {
  const { data } = envelope;
  const nothing = { topoSvg: undefined, topoText: undefined };
  if (data === undefined) return { ...nothing, content: exactJson(envelope.errors) };
  switch (data.type) {
    case 'sample': {
      const { errors = [] } = data.attributes;
      return { ...nothing, content: errors.length === 0 ? undefined : exactJson(errors) };
    }
    case 'sysinfo': {
      const { time: _time, cluster: _cluster, node: _node, topo_svg: svg, topo_text: text, ...rest } = data.attributes;
      return { content: exactJson(rest), topoSvg: svg, topoText: text };
    }
    case 'cluster': {
      const { time: _time, cluster: _cluster, ...state } = data.attributes;
      return { ...nothing, content: exactJson(state) };
    }
    case 'job':
      return { ...nothing, content: undefined };
  }
}

/** A NUL character in JSON. */
const NUL = '\\u0000';

/** Texts of keys: an index takes 2,700 bytes. */
const LONGEST_KEY = 500;

/** Why PostgreSQL cannot store an envelope that the embedded store can. */
export function problemFor({ envelope, mayHaveNul }: ReceivedEnvelope): string | undefined {
  const nul = mayHaveNul ? placeOfNul(envelope, '') : undefined;
  if (nul !== undefined) return `${nul}: found a NUL character (U+0000); PostgreSQL stores none in a text`;
  const { data } = envelope;
  const names = [
    ['node', 'node' in aboutOf(envelope) ? String((aboutOf(envelope) as { node?: unknown }).node) : ''],
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
