import type { Cases } from './case.ts';
import { inUnknownWorkflow } from './usual.ts';
import { relationships } from './world.ts';

const tooLarge = {
  says: 'refuses a page that is too large',
  params: { id: 1 },
  query: { limit: 5_001 },
  status: 400,
  code: 'PARAMETER_REFUSED',
  message: 'limit: Too big: expected number to be <=5000',
} as const;

export const columnCases: Cases = {
  readJobColumns: {
    answers: [
      {
        says: 'answers the jobs with their relationships, a list for each field',
        params: { id: 1 },
        reply: {
          columns: {
            id: [1, 2, 3],
            name: ['first', 'second', 'third'],
            command: ['python first.py', 'true', 'sleep 1'],
            invocation_script: [null, null, null],
            env: [{ LEVEL: '1' }, { LEVEL: '1' }, { LEVEL: '1' }],
            status: ['ready', 'blocked', 'ready'],
            cancel_on_blocking_job_failure: [true, true, true],
            supports_termination: [false, null, null],
            resource_requirements_id: [3, 1, 1],
            scheduler_id: [null, null, null],
            failure_handler_id: [1, null, null],
            priority: [5, 0, 0],
            labels: [null, null, ['gpu']],
            licenses: [null, null, null],
            origin: [null, null, null],
            removed_at_ms: [null, null, null],
            timeout: [null, null, null],
            depends_on_job_ids: [null, [1], null],
            input_file_ids: [relationships.input_file_ids, [2], null],
            output_file_ids: [relationships.output_file_ids, null, null],
            input_user_data_ids: [relationships.input_user_data_ids, [2], null],
            output_user_data_ids: [relationships.output_user_data_ids, null, null],
            result_id: [null, null, null],
          },
          has_more: false,
        },
      },
    ],
    refuses: [inUnknownWorkflow, tooLarge],
  },

  readFileColumns: {
    answers: [
      {
        says: 'answers the names and paths of the files after an id',
        params: { id: 1 },
        query: { after_id: 1, limit: 1 },
        reply: {
          columns: {
            id: [2],
            name: ['out'],
            path: ['data/out.csv'],
            st_mtime: [null],
            temporary: [null],
            protected: [null],
            removal: [null],
          },
          has_more: true,
        },
      },
      {
        says: 'answers empty lists after the last id',
        params: { id: 1 },
        query: { after_id: 2 },
        reply: {
          columns: { id: [], name: [], path: [], st_mtime: [], temporary: [], protected: [], removal: [] },
          has_more: false,
        },
      },
    ],
    refuses: [inUnknownWorkflow, tooLarge],
  },

  readInputColumns: {
    answers: [
      {
        says: 'answers empty lists where no attempt has said how it found its inputs',
        params: { id: 1 },
        query: { after_id: 1, after_file_id: 1 },
        reply: { columns: { id: [], file_id: [], st_mtime: [], st_size: [], hash: [] }, has_more: false },
      },
    ],
    refuses: [inUnknownWorkflow, tooLarge],
  },

  readOutputColumns: {
    answers: [
      {
        says: 'answers empty lists where no attempt is known to have made an output',
        params: { id: 1 },
        query: { after_id: 1, after_file_id: 1 },
        reply: { columns: { id: [], file_id: [], st_mtime: [], st_size: [] }, has_more: false },
      },
    ],
    refuses: [inUnknownWorkflow, tooLarge],
  },

  readUserDataColumns: {
    answers: [
      {
        says: 'answers the user data with their values',
        params: { id: 1 },
        query: { limit: 1 },
        reply: {
          columns: { id: [1], name: ['parameters'], data: [{ a: [1, null] }], is_ephemeral: [false] },
          has_more: true,
        },
      },
      {
        says: 'answers null for a value that is not there yet',
        params: { id: 1 },
        query: { after_id: 1 },
        reply: { columns: { id: [2], name: ['answer'], data: [null], is_ephemeral: [true] }, has_more: false },
      },
    ],
    refuses: [inUnknownWorkflow, tooLarge],
  },
};
