import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, negativeOffset, ofUnknownWorkflow, unknown, unknownWorkflow, whole } from './usual.ts';
import { input, output } from './world.ts';

export const fileCases: Cases = {
  listRequiredExistingFiles: {
    answers: [
      { says: 'returns inputs that no job makes', params: { id: 1 }, reply: { files: [1] } },
      {
        says: 'returns outputs of completed jobs too',
        before: (world) => world.finish(),
        params: { id: 1 },
        reply: { files: [1, 2] },
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  removeFiles: {
    answers: [
      {
        says: 'gives a runner no file as long as none can be deleted',
        params: { id: 1 },
        body: { run_id: 1, compute_node_id: 1, removed: [], limit: 10 },
        reply: { files: [] },
      },
      {
        says: 'stores what a person cleaned up, who takes no files',
        params: { id: 1 },
        body: { run_id: 1, removed: [{ id: 2, removal: 'cleaned', removed_bytes: 3 }], limit: 0 },
        reply: { files: [] },
      },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9 }, body: { run_id: 1, removed: [], limit: 0 } },
      {
        says: 'refuses a runner of another run',
        params: { id: 1 },
        body: { run_id: 2, removed: [], limit: 0 },
        status: 422,
        code: 'RUN_SUPERSEDED',
        message: 'Run ID mismatch: provided 2 but workflow is at run 1',
      },
    ],
  },

  createFile: {
    answers: [
      {
        says: 'echoes what was sent, without what was null',
        body: { workflow_id: 1, name: 'new', path: 'a b/ü.txt', st_mtime: null, size: 3 },
        reply: { workflow_id: 1, name: 'new', path: 'a b/ü.txt', id: 4 },
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { workflow_id: 9, name: 'new', path: 'p' } },
      {
        says: 'names the field that is of another kind',
        body: { workflow_id: 1, name: 'new', path: 7 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'path: Invalid input: expected string, received number',
      },
    ],
  },

  createFiles: {
    answers: [
      {
        says: 'creates them in the order in which they came; a name may be there twice',
        body: {
          files: [
            { workflow_id: 1, name: 'b', path: 'b' },
            { workflow_id: 1, name: 'b', path: 'b', st_mtime: 1.5 },
          ],
        },
        reply: {
          files: [
            { workflow_id: 1, name: 'b', path: 'b', id: 4 },
            { workflow_id: 1, name: 'b', path: 'b', st_mtime: 1.5, id: 5 },
          ],
        },
      },
    ],
    refuses: [
      {
        says: 'refuses none',
        body: { files: [] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'Bulk file creation requires a non-empty `files` array',
      },
      {
        says: 'refuses two workflows in one call',
        body: {
          files: [
            { workflow_id: 1, name: 'a', path: 'a' },
            { workflow_id: 2, name: 'b', path: 'b' },
          ],
        },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'All files in a batch must have the same workflow_id. Found workflow_ids: 1 and 2',
      },
    ],
  },

  listFiles: {
    answers: [
      { says: 'lists all of a workflow', query: { workflow_id: 1 }, reply: whole(input, output) },
      { says: 'finds a name exactly', query: { workflow_id: 1, name: 'i' }, reply: whole() },
      { says: 'finds a part of a path in any case', query: { workflow_id: 1, path: 'DATA/O' }, reply: whole(output) },
      {
        says: 'lists those behind a file, and counts only these',
        query: { workflow_id: 1, after_id: 1 },
        reply: whole(output),
      },
      { says: 'finds what jobs make', query: { workflow_id: 1, is_output: true }, reply: whole(output) },
      { says: 'finds what a job makes', query: { workflow_id: 1, produced_by_job_id: 1 }, reply: whole(output) },
      {
        says: 'sorts by a column, the other way round',
        query: { workflow_id: 1, sort_by: 'path', reverse_sort: true },
        reply: whole(output, input),
      },
    ],
    refuses: [ofUnknownWorkflow, { ...negativeOffset, query: { workflow_id: 1, offset: -1 } }],
  },

  getFile: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: input }],
    refuses: [unknown('file')],
  },

  updateFile: {
    answers: [
      {
        says: 'keeps what is not given, but for the time, which is cleared',
        params: { id: 1 },
        body: { path: 'new' },
        reply: { id: 1, workflow_id: 1, name: 'in', path: 'new' },
      },
    ],
    refuses: [
      { ...unknown('file'), body: {} },
      {
        says: 'refuses a time that is text',
        params: { id: 1 },
        body: { st_mtime: '2026' },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'st_mtime: ',
      },
    ],
  },

  deleteFile: {
    answers: [{ says: 'returns what it was', params: { id: 1 }, reply: input }],
    refuses: [unknown('file')],
  },

  deleteFiles: {
    answers: [
      {
        says: 'deletes all of a workflow and none of another',
        query: { workflow_id: 1 },
        reply: { deleted_count: 2 },
        after: async ({ client }) => expect((await client.listFiles({ query: { workflow_id: 2 } })).count).toBe(1),
      },
    ],
    refuses: [ofUnknownWorkflow],
  },
};
