import type { RoCrateEntity } from '../../core/contract/artifact.ts';
import type { FolderFacts } from './folder.ts';
import type { HashMode } from './hash-mode.ts';

type Metadata = RoCrateEntity['metadata'];
type Json = Metadata[string];
type Entity = Pick<RoCrateEntity, 'entity_id' | 'entity_type' | 'metadata'>;

export interface Dataset {
  readonly name: string;
  /** As given by the user. */
  readonly path: string;
  readonly facts: FolderFacts;
  readonly hashMode: HashMode;
  readonly description: string | undefined;
  readonly encodingFormat: string | undefined;
  /** `@id`s of the attempts that produced it. */
  readonly madeBy: readonly string[];
  /** Additional properties, with precedence. */
  readonly metadata: Metadata | undefined;
}

/** The name of a folder in a research object ends in a slash (RO-Crate 1.1, data entities). */
export const datasetId = (path: string): string => `${path.replace(/\/+$/, '')}/`;

export function datasetEntity(dataset: Dataset): Entity {
  const { name, path, facts, hashMode, description, encodingFormat, madeBy, metadata } = dataset;
  const id = datasetId(path);
  const [only, ...more] = madeBy.map((attempt) => ({ '@id': attempt }));
  return {
    entity_id: id,
    entity_type: 'Dataset',
    metadata: {
      '@id': id,
      '@type': ['Dataset', 'prov:Entity'],
      name,
      ...(description === undefined ? {} : { description }),
      ...(encodingFormat === undefined ? {} : { encodingFormat }),
      contentSize: String(facts.sizeBytes),
      fileCount: facts.fileCount,
      hashMode,
      ...(facts.sha256 === undefined ? {} : { sha256: facts.sha256 }),
      ...(facts.modifiedMs === undefined ? {} : { dateModified: new Date(facts.modifiedMs).toISOString() }),
      ...(only === undefined ? {} : { 'prov:wasGeneratedBy': more.length === 0 ? only : [only, ...more] }),
      ...metadata,
    },
  };
}

/** The metadata of an attempt with one more result; undefined if it already contains it. */
export function withResult(metadata: Metadata, id: string): Metadata | undefined {
  const before = metadata['result'] ?? [];
  const results: readonly Json[] = Array.isArray(before) ? before : [before];
  const isThere = results.some(
    (result) => typeof result === 'object' && result !== null && !Array.isArray(result) && result['@id'] === id,
  );
  return isThere ? undefined : { ...metadata, result: [...results, { '@id': id }] };
}
