import type { Cases } from './case.ts';
import { AT_MS } from './world.ts';

const rename = { sql: "update job set name = 'renamed' where id = 1", write: true };
const audited = {
  id: 1,
  user_name: 'anonymous',
  timestamp: AT_MS,
  sql_text: rename.sql,
  is_write: true,
  allow_full_table: false,
  committed: true,
  success: true,
  rows_affected: 1,
};

export const adminCases: Cases = {
  runSql: {
    answers: [
      {
        says: 'reads rows',
        body: { sql: 'select id, name from job where id = 1;' },
        reply: { columns: ['id', 'name'], items: [{ id: 1, name: 'first' }], committed: false },
      },
      {
        says: 'changes rows where that is said',
        body: rename,
        reply: { columns: [], items: [], committed: true, rows_affected: 1 },
        after: async ({ client }) => {
          if ((await client.getJob({ params: { id: 1 } })).name !== 'renamed') throw new Error('it was not changed');
        },
      },
    ],
    refuses: [
      {
        says: 'refuses a change that is not said to be one',
        body: { ...rename, write: false },
        status: 422,
        code: 'SQL_REFUSED',
        message: 'a statement that changes rows needs write=true',
      },
      {
        says: 'refuses what SQLite does not understand',
        body: { sql: 'select * from nowhere' },
        status: 422,
        code: 'SQL_REFUSED',
        message: 'Query failed: no such table: nowhere',
      },
      {
        says: 'requires a statement',
        body: {},
        status: 422,
        code: 'BODY_REFUSED',
        message: 'sql: ',
      },
    ],
  },

  listAuditLog: {
    answers: [
      {
        says: 'returns what was changed',
        before: ({ client }) => client.runSql({ body: rename }),
        reply: { items: [audited], offset: 0, max_limit: 100_000, count: 1, total_count: 1, has_more: false },
      },
      {
        says: 'accepts any paging, as Torc 1.0.0 does',
        before: ({ client }) => client.runSql({ body: rename }),
        query: { limit: -1, offset: -5 },
        reply: { items: [audited], offset: 0, max_limit: 100_000, count: 1, total_count: 1, has_more: false },
      },
    ],
    refuses: [
      {
        says: 'requires numbers',
        query: { limit: 'many' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'limit: ',
      },
    ],
  },

  reloadAuth: {
    // What it answers where there is a file of users: src/server/access/login.test.ts.
    answers: [],
    refuses: [
      {
        says: 'has nothing to read where the server has no users',
        status: 409,
        code: 'USERS_FILE_MISSING',
        message: 'No auth file configured',
      },
    ],
  },

  getApiStats: {
    answers: [
      {
        says: 'returns what was answered, the newest first',
        query: { window_seconds: 2, interval_seconds: 1 },
        reply: {
          now_ms: AT_MS,
          interval_seconds: 1,
          window_seconds: 2,
          buckets: [AT_MS, AT_MS - 1_000].map((start) => ({
            start_ms: start,
            request_count: 0,
            bytes_in: 0,
            bytes_out: 0,
            status_2xx: 0,
            status_4xx: 0,
            status_5xx: 0,
            status_other: 0,
          })),
        },
      },
    ],
    refuses: [
      {
        says: 'refuses an interval of nothing',
        query: { interval_seconds: 0 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'interval_seconds: expected 1 or more, found 0',
      },
    ],
  },
};
