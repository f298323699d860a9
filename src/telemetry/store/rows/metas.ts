import type { Metadata } from '../../../core/contract/sonar/shared.ts';

const metas = new Map<string, Metadata>();

/** The `meta` of a producer from its text. Few producers send many samples. */
export function metaOf(source: string): Metadata {
  let meta = metas.get(source);
  if (meta === undefined) metas.set(source, (meta = JSON.parse(source) as Metadata));
  return meta;
}
