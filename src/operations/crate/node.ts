import type { RoCrateEntity } from '../../core/contract/artifact.ts';

/** A node of the graph of a research object. */
export type CrateNode = RoCrateEntity['metadata'];
export type CrateValue = CrateNode[string];

/** A reference to a node. */
export const at = (id: string) => ({ '@id': id });

/** The identifiers that a property refers to, of one node or of a list. */
export const referredTo = (value: CrateValue | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each) => {
    const id = typeof each === 'object' && each !== null && !Array.isArray(each) ? each['@id'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });

export const isOfType = (node: CrateNode, type: string): boolean => {
  const found = node['@type'];
  return Array.isArray(found) ? found.includes(type) : found === type;
};

/** RO-Crate writes a single value without a list. */
export const oneOrList = (values: readonly CrateValue[]): CrateValue => {
  const [only, ...more] = values;
  return only !== undefined && more.length === 0 ? only : [...values];
};
