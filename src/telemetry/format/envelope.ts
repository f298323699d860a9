import type { DataEnvelope, Envelope, MessageType } from '../../core/contract/sonar/envelope.ts';
import type { ErrorRecord } from '../../core/contract/sonar/shared.ts';
import { VERSION } from '../../core/contract/version.ts';
import { timestampOf } from './timestamp.ts';

/** Where a record comes from. */
export interface Origin {
  readonly cluster: string;
  readonly node: string;
}

/** An envelope with what its transport needs to know. */
export interface ProducedMessage extends Origin {
  readonly type: MessageType;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly envelope: Envelope;
}

const META = { producer: 'torc', version: VERSION } as const;

/** A record with data. */
export const dataMessage = <Type extends MessageType>(
  type: Type,
  { cluster, node }: Origin,
  atMs: number,
  attributes: DataEnvelope<Type>['data']['attributes'],
): ProducedMessage => ({ type, cluster, node, atMs, envelope: { meta: META, data: { type, attributes } } as Envelope });

/** A record that says why nothing can be reported. */
export const errorMessage = (
  type: MessageType,
  origin: Origin,
  atMs: number,
  details: readonly string[],
): ProducedMessage => ({
  type,
  cluster: origin.cluster,
  node: origin.node,
  atMs,
  envelope: { meta: META, errors: details.map((detail) => errorMessageOf(origin, atMs, detail)) },
});

export const errorMessageOf = ({ cluster, node }: Origin, atMs: number, detail: string): ErrorRecord => ({
  time: timestampOf(atMs),
  detail: detail === '' ? 'unknown error' : detail,
  cluster,
  node,
});
