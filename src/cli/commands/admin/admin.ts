import type { AuditLogEntry, TrafficBucket } from '../../../core/contract/admin.ts';
import { type Command, command } from '../../command/command.ts';
import { integerOption, option } from '../../command/option.ts';
import { localTime } from '../../output/local-time.ts';
import type { Column } from '../../output/table.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { bytesText, memoryText } from '../../output/words.ts';
import { allRows, rangeOptions } from '../../records/paging.ts';
import { adminSql } from './sql.ts';
import { adminTailApi } from './tail-api.ts';

const adminReloadAuth = command('admin reload-auth', {
  says: 'Make the server read its file of users again.',
  async run({ service, output }) {
    output.recordOnly('reload-auth');
    const { client } = await service();
    const answer = await client.reloadAuth();
    output.record('reload-auth', answer, `${answer.message} (${counted(answer.user_count, 'user')})`);
  },
});

const bucketColumns: readonly Column<TrafficBucket>[] = [
  { title: 'Start', importance: 9, value: ({ start_ms: start }) => localTime(start) },
  { title: 'Requests', value: ({ request_count: count }) => count, align: 'right' },
  {
    title: 'In',
    value: ({ bytes_in: bytes }) => bytesText(bytes),
    text: ({ bytes_in: bytes }) => memoryText(bytes),
    align: 'right',
  },
  {
    title: 'Out',
    value: ({ bytes_out: bytes }) => bytesText(bytes),
    text: ({ bytes_out: bytes }) => memoryText(bytes),
    align: 'right',
  },
  { title: '2xx', value: ({ status_2xx: count }) => count, align: 'right' },
  { title: '4xx', value: ({ status_4xx: count }) => count, align: 'right' },
  { title: '5xx', value: ({ status_5xx: count }) => count, align: 'right' },
  { title: 'Other', value: ({ status_other: count }) => count, align: 'right' },
];

const adminApiStats = command('admin api-stats', {
  says: 'Count recent requests of the server by result, the newest interval first.',
  options: [
    option('--window <s>', 'period in seconds, an hour at most', { default: 3600, read: integerOption(1) }),
    option('--interval <s>', 'seconds in each interval', { default: 60, read: integerOption(1) }),
  ],
  async run({ service, output }, _args, options) {
    const { client } = await service();
    const query = { window_seconds: options.window, interval_seconds: options.interval };
    const traffic = await client.getApiStats({ query });
    output.list({
      items: traffic.buckets,
      columns: bucketColumns,
      things: 'intervals',
      title: `Requests of the last ${traffic.window_seconds} s, counted by ${traffic.interval_seconds} s:`,
      empty: `No requests in the last ${traffic.window_seconds} s.`,
      json: traffic,
    });
  },
});

const auditColumns: readonly Column<AuditLogEntry>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Timestamp', importance: 6, value: ({ timestamp }) => localTime(timestamp) },
  { title: 'User', value: ({ user_name: user }) => user, cut: 'middle', importance: 7 },
  { title: 'SQL', value: ({ sql_text: sql }) => sql, cut: 'end', importance: 8 },
  { title: 'Committed', value: ({ committed }) => committed },
  { title: 'Rows', value: ({ rows_affected: rows }) => rows, align: 'right' },
  { title: 'Error', value: ({ error }) => error, cut: 'end', importance: 7 },
];

const adminListAuditLog = command('admin list-audit-log', {
  says: 'List changes by SQL, also failed ones; the newest first.',
  options: rangeOptions,
  async run({ service, output }, _args, options) {
    const { client } = await service();
    output.list({
      items: await allRows(options, ({ offset, limit }) => client.listAuditLog({ query: { offset, limit } })),
      columns: auditColumns,
      things: 'entries',
      empty: 'The audit log is empty.',
    });
  },
});

export const adminCommands: readonly Command[] = [
  adminReloadAuth,
  adminSql,
  adminListAuditLog,
  adminApiStats,
  adminTailApi,
];
