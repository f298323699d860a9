import type { File, FileRemoval, RoCrateEntity } from '../../core/contract/artifact.ts';
import { at, type CrateNode, type CrateValue, isOfType } from './node.ts';
import type { Workflow } from '../../core/contract/workflow.ts';

/**
 * The research object of a workflow as one JSON-LD document (RO-Crate 1.1): the descriptor of the document, the root,
 * which lists files and datasets as parts, and every stored entity.
 */

const PROFILE = 'https://w3id.org/ro/crate/1.1';
const DESCRIPTOR_ID = 'ro-crate-metadata.json';
const ROOT_ID = './';

/** Terms that are not in the context of RO-Crate 1.1. */
const OWN_WORDS = {
  prov: 'http://www.w3.org/ns/prov#',
  sha256: 'https://schema.org/sha256',
  torc: 'urn:torc:',
  fileCount: 'torc:fileCount',
  hashMode: 'torc:hashMode',
};

export interface CrateRecords {
  readonly workflow: Pick<Workflow, 'name' | 'description' | 'timestamp'>;
  readonly files: readonly Pick<File, 'id' | 'path' | 'removal'>[];
  readonly entities: readonly RoCrateEntity[];
}

/** A file that is not there any more is described as what an attempt made, and is no part of the object. */
const IS_GONE: ReadonlySet<FileRemoval> = new Set<FileRemoval>(['deleting', 'deleted', 'cleaned']);

export function crateDocument({ workflow, files, entities }: CrateRecords): object {
  const identifiers = identifiersOf(files, entities);
  const removed = new Set(files.flatMap(({ id, removal }) => (removal && IS_GONE.has(removal) ? [id] : [])));
  const isRemoved = ({ file_id: id }: RoCrateEntity) => typeof id === 'number' && removed.has(id);
  const nodes = entities.map((entity): CrateNode => ({
    ...withIdentifiers(nodeOf(entity), identifiers),
    ...(isRemoved(entity) && { creativeWorkStatus: 'Deleted' }),
  }));
  const gone = new Set<unknown>(entities.filter(isRemoved).map(({ entity_id: id }) => id));
  const described = (id: string) => nodes.find((node) => node['@id'] === id) ?? {};
  const parts = nodes
    .filter((node) => (isOfType(node, 'File') || isOfType(node, 'Dataset')) && !gone.has(node['@id']))
    .filter(isNoFrame);
  const actions = nodes.filter((node) => isOfType(node, 'CreateAction'));
  const root: CrateNode = {
    '@id': ROOT_ID,
    '@type': 'Dataset',
    name: workflow.name,
    ...(workflow.description ? { description: workflow.description } : {}),
    ...(workflow.timestamp ? { datePublished: workflow.timestamp } : {}),
    hasPart: parts.map(reference),
    mentions: actions.map(reference),
  };
  const descriptor: CrateNode = {
    '@id': DESCRIPTOR_ID,
    '@type': 'CreativeWork',
    conformsTo: { '@id': PROFILE },
    about: { '@id': ROOT_ID },
  };
  return {
    '@context': [`${PROFILE}/context`, OWN_WORDS],
    // Properties that a user stored for the descriptor or the root, such as a licence, have precedence.
    '@graph': [
      { ...descriptor, ...described(DESCRIPTOR_ID) },
      { ...root, ...described(ROOT_ID) },
      ...nodes.filter(isNoFrame),
    ],
  };
}

const isNoFrame = (node: CrateNode) => node['@id'] !== ROOT_ID && node['@id'] !== DESCRIPTOR_ID;
const reference = (node: CrateNode) => at(node['@id'] as string);

/** The name of an entity is the stored one, regardless of its metadata. */
const nodeOf = ({ entity_id: id, entity_type: type, metadata }: RoCrateEntity): CrateNode => ({
  '@type': type,
  ...metadata,
  '@id': id,
});

function identifiersOf(files: CrateRecords['files'], entities: CrateRecords['entities']): ReadonlyMap<string, string> {
  const paths = new Map(files.map(({ id, path }) => [id, path]));
  const found = new Map<string, string>();
  for (const { file_id: fileId, entity_id: name } of entities) {
    const path = fileId ? paths.get(fileId) : undefined;
    if (path !== undefined && path !== name) found.set(path, name);
  }
  return found;
}

/**
 * The node with references to a file by its path replaced by its identifier. The node's own name and the `sameAs` of a
 * file, which is its location, stay.
 */
function withIdentifiers(node: CrateNode, identifiers: ReadonlyMap<string, string>): CrateNode {
  const renamed = (value: CrateValue): CrateValue => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === '@id' && typeof each === 'string' ? (identifiers.get(each) ?? each) : renamed(each),
      ]),
    );
  };
  const stays = (key: string) => key === '@id' || (key === 'sameAs' && isOfType(node, 'File'));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, stays(key) ? value : renamed(value)]));
}
