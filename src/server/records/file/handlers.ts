import type { NewFile, File } from '../../../core/contract/artifact.ts';
import type { Handlers } from '../../handlers.ts';
import { workflowOfBulk } from '../bulk.ts';
import type { Deletions } from '../deletion/deletion.ts';
import { presentFields } from '../present.ts';
import { listByQuery, read } from '../records.ts';
import type { Store } from '../store.ts';
import { type FileQueries, fileQueries, storedFate } from './queries.ts';

export const fileHandlers = ({ db, find }: Store, deletion: Deletions) => {
  const queries = fileQueries(db);
  const file = (id: number) => read(queries.files, id);

  return {
    createFile: ({ body }) => addFile(queries, find.workflow(body.workflow_id).id, body),
    createFiles({ body: { files } }) {
      const workflowId = find.workflow(workflowOfBulk({ field: 'files', one: 'file', many: 'files' }, files)).id;
      return { files: files.map((each) => addFile(queries, workflowId, each)) };
    },
    listFiles: listByQuery(find, queries.files.list),
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

function addFile(queries: FileQueries, workflowId: number, body: NewFile): File {
  const { name, path, st_mtime: mtime = null, removal: _removal, removed_bytes: _bytes, ...others } = body;
  const id = queries.insertFile.insert({ workflowId, name, path, mtime, ...storedFate(body) });
  return { ...presentFields({ ...others, name, path, st_mtime: mtime }), id };
}
