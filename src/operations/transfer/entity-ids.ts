import type { RoCrateEntity } from '../../core/contract/artifact.ts';

/** New ids by those in the file. */
export type Ids = ReadonlyMap<number, number>;

type Named = Pick<RoCrateEntity, 'entity_id' | 'metadata'>;
type Json = RoCrateEntity['metadata'][string];

/**
 * Entities after an import: their names, and every `@id` in their metadata, contain ids of jobs and files of this
 * server.
 *
 * An id without a record in the file is marked as one of another server: unchanged, it could be that of another job
 * here.
 */
export function renamedEntity({ jobs, files }: { readonly jobs: Ids; readonly files: Ids }) {
  const renamed = (name: string): string =>
    name
      .replace(
        /^#job-(\d+)-attempt-(\d+)$/,
        (_, job: string, attempt: string) => `#${newId('job', jobs, job)}-attempt-${attempt}`,
      )
      .replace(/^#file-(\d+)$/, (_, file: string) => `#${newId('file', files, file)}`);

  const inside = (value: Json, key?: string): Json => {
    if (typeof value === 'string') return key === '@id' ? renamed(value) : value;
    if (Array.isArray(value)) return value.map((each) => inside(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inside(each, name)]));
  };

  return <Entity extends Named>(entity: Entity): Entity => ({
    ...entity,
    entity_id: renamed(entity.entity_id),
    metadata: inside(entity.metadata) as RoCrateEntity['metadata'],
  });
}

function newId(kind: string, ids: Ids, text: string): string {
  const id = ids.get(Number(text));
  return id === undefined ? `elsewhere-${kind}-${text}` : `${kind}-${id}`;
}
