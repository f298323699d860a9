import { encodeEnvelope } from '../../core/contract/sonar/encode.ts';
import type { Compat } from '../../core/contract/sonar/compat.ts';
import type { MessageType } from '../../core/contract/sonar/envelope.ts';
import type { ProducedMessage } from '../format/envelope.ts';

/** A message as text, with its address: what sinks carry, and what the spool keeps. */
export interface Packet {
  readonly type: MessageType;
  readonly cluster: string;
  /** The node that it comes from: of jobs and the cluster, the one that asked Slurm. */
  readonly node: string;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** The envelope, on one line. */
  readonly text: string;
}

export const packetOf = ({ type, cluster, node, atMs, envelope }: ProducedMessage, compat?: Compat): Packet => ({
  type,
  cluster,
  node,
  atMs,
  text: encodeEnvelope(envelope, compat),
});

/** `[prefix.]cluster.type`. */
export const topicOf = ({ cluster, type }: Packet, prefix: string): string =>
  `${prefix === '' ? '' : `${prefix}.`}${cluster}.${type}`;

/** `cluster/node`: who sends. */
export const packetSender = ({ cluster, node }: Pick<Packet, 'cluster' | 'node'>): string => `${cluster}/${node}`;
