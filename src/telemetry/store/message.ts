import { createHash } from 'node:crypto';
import { encodeAttributes, exactJson } from '../../core/contract/sonar/encode.ts';
import { aboutOf, type Envelope } from '../../core/contract/sonar/envelope.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { unknownMembers } from './unknown-members.ts';

/** An envelope with what the ledger of a store has of it. `cluster` has its number in the store. */
export function messageOf(
  envelope: Envelope,
  hasUnknown: boolean,
  cluster: { readonly id: number; readonly name: string },
) {
  const { time = '', node } = aboutOf(envelope);
  const { data } = envelope;
  const text =
    data === undefined
      ? exactJson(envelope.errors)
      : encodeAttributes(data.type, { ...data.attributes, cluster: cluster.name });
  const instant = parseTimestamp(time) ?? { seconds: 0, offsetMinutes: 0 };
  // A token proves who sent the data; it is not part of them and is stored nowhere.
  const { token, ...meta } = envelope.meta;
  const source = exactJson(meta);
  const unknown = hasUnknown ? unknownMembers(envelope) : [];
  const members = unknown.length === 0 ? undefined : exactJson(unknown);
  return {
    envelope,
    cluster: cluster.id,
    type: data?.type ?? 'error',
    /** In hexadecimal digits. */
    sha256: createHash('sha256').update(text).digest('hex'),
    node: typeof node === 'string' ? node : undefined,
    /** Unix time. */
    time: instant.seconds,
    zone: instant.offsetMinutes,
    source,
    members,
    /**
     * Some text of it may have a NUL character; if not, none has. To look into each text of each process would take longer than to
     * store it.
     */
    mayHaveNul: [text, source, members ?? ''].some((each) => each.includes(NUL)) || token?.includes('\0') === true,
    ...bodyOf(envelope),
  };
}
export type LedgerMessage = Readonly<ReturnType<typeof messageOf>>;

/** A NUL character in JSON. */
const NUL = '\\u0000';

interface TextsOfEnvelope {
  readonly content: string | undefined;
  readonly topoSvg?: string | undefined;
  readonly topoText?: string | undefined;
}

/** What is stored as text: it repeats, and equal texts are stored once. */
function bodyOf(envelope: Envelope): TextsOfEnvelope {
  const { data } = envelope;
  if (data === undefined) return { content: exactJson(envelope.errors) };
  switch (data.type) {
    case 'sample': {
      const { errors = [] } = data.attributes;
      return { content: errors.length === 0 ? undefined : exactJson(errors) };
    }
    case 'sysinfo': {
      const { time: _time, cluster: _cluster, node: _node, topo_svg: svg, topo_text: text, ...rest } = data.attributes;
      return { content: exactJson(rest), topoSvg: svg, topoText: text };
    }
    case 'cluster': {
      const { time: _time, cluster: _cluster, ...state } = data.attributes;
      return { content: exactJson(state) };
    }
    case 'job':
      return { content: undefined };
  }
}
