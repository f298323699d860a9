import { objectOf, type ValueOf } from './kinds.ts';

const required = 'refused' as const;

export const kvPair = objectOf('KVPair', {
  key: { kind: 'nonempty', required, says: 'A unique key within the list' },
  value: { kind: 'string', says: 'Some attribute value' },
});

export const metadataObject = objectOf('MetadataObject', {
  producer: { kind: 'nonempty', required, says: 'The component that generated the data' },
  version: { kind: 'nonempty', required, says: 'The semantic version of the producer' },
  format: { kind: 'uint', says: 'The version of the format' },
  attrs: { kind: kvPair, list: 1, says: 'Attributes of the producer, with unique keys' },
  token: { kind: 'string', says: 'Proves that the producer may send data of this cluster; never stored' },
});

export const errorObject = objectOf('ErrorObject', {
  time: { kind: 'timestamp', required, says: 'When the error was generated' },
  detail: { kind: 'nonempty', required, says: 'A description of the error in English' },
  cluster: { kind: 'hostname', required: 'known', says: 'Cluster of the node that generated the error' },
  node: { kind: 'hostname', required, says: 'Node that generated the error' },
});

export type Metadata = ValueOf<typeof metadataObject>;
export type ErrorRecord = ValueOf<typeof errorObject>;
