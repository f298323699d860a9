import type { File, FileJobs, NewFile } from '../../../core/contract/artifact.ts';
import type { Handlers } from '../../handlers.ts';
import { workflowOfBulk } from '../bulk.ts';
import type { Deletions } from '../deletion/deletion.ts';
import { presentFields } from '../present.ts';
import { listByQuery, read } from '../records.ts';
import type { Store } from '../store.ts';
import { type FileQueries, fileQueries, storedFate } from './queries.ts';

export const fileHandlers = ({ db, find }: Store, deletion: Deletions) => {
  const queries = fileQueries(db);
  const list = listByQuery(find, queries.files.list);
  const file = (id: number) => read(queries.files, id);

  return {
    createFile: ({ body }) => addFile(queries, find.workflow(body.workflow_id).id, body),
    createFiles({ body: { files } }) {
      const workflowId = find.workflow(workflowOfBulk({ field: 'files', one: 'file', many: 'files' }, files)).id;
      return { files: files.map((each) => addFile(queries, workflowId, each)) };
    },
    listFiles({ query: { include_uses: withUses, ...query } }) {
      const found = list({ query });
      return withUses === true ? { ...found, items: usedFiles(queries, found.items) } : found;
    },
    getFile: ({ params }) => file(params.id),
    updateFile({ params: { id }, body }) {
      file(id);
      const { name = null, path = null, st_mtime: mtime = null } = body;
      queries.updateFile.run({ id, name, path, mtime, ...storedFate(body) });
      return file(id);
    },
    listRequiredExistingFiles({ params: { id } }) {
      find.workflow(id);
      return { files: queries.requiredFiles.all({ workflowId: id }).map((row) => row.id) };
    },
    deleteFile: ({ params: { id } }) => deletion.one(file(id).workflow_id, 'file', id, () => file(id)),
    deleteFiles: ({ query }) => deletion.all(query.workflow_id, 'file', (count) => ({ deleted_count: count })),
  } satisfies Partial<Handlers>;
};

/** The files with their sizes and the jobs that write and read them. */
function usedFiles({ uses }: FileQueries, files: readonly File[]): File[] {
  const found = new Map(uses.all({ ids: JSON.stringify(files.map(({ id }) => id)) }).map((use) => [use.id, use]));
  return files.map((file) => {
    const use = found.get(file.id);
    return use === undefined
      ? file
      : {
          ...file,
          ...(use.size === null ? {} : { size_bytes: use.size }),
          made_by: { jobs: use.makers, first: JSON.parse(use.made_by) as FileJobs['first'] },
          read_by: { jobs: use.readers, first: JSON.parse(use.read_by) as FileJobs['first'] },
        };
  });
}

function addFile(queries: FileQueries, workflowId: number, body: NewFile): File {
  const { name, path, st_mtime: mtime = null, removal: _removal, removed_bytes: _bytes, ...given } = body;
  const { size_bytes: _size, made_by: _makers, read_by: _readers, ...others } = given;
  const id = queries.insertFile.insert({ workflowId, name, path, mtime, ...storedFate(body) });
  return { ...presentFields({ ...others, name, path, st_mtime: mtime }), id };
}
