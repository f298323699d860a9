import type { SqlReply, SqlRequest } from '../../../core/contract/admin.ts';
import { confirm } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { integerOption, option } from '../../command/option.ts';
import { counted } from '../../../core/quantity/count-text.ts';

export const adminSql = command('admin sql <statement>', {
  says: 'Execute one SQL statement on the database of the server.',
  more: 'Without --write the statement cannot change anything. A change is counted and confirmed first, and recorded in the audit log.',
  options: [
    option('--write', 'the statement changes rows'),
    option('-y, --yes', 'change them without asking'),
    option('--allow-full-table', 'allow UPDATE and DELETE without WHERE'),
    option('--limit <n>', 'maximum number of rows of a read', { read: integerOption(1) }),
  ],
  async run(context, [statement], options) {
    const request = {
      sql: String(statement),
      allow_full_table: options.allowFullTable === true,
      limit: options.limit,
    };
    if (options.write === true) return write(context, request, options.yes === true);
    const { client } = await context.service();
    printRows(context, await client.runSql({ body: request }));
  },
});

/** Changes rows: their number is determined before the user is asked. */
async function write(context: Context, request: SqlRequest, isAgreed: boolean): Promise<void> {
  const { output } = context;
  output.recordOnly('sql');
  const { client } = await context.service();
  if (!isAgreed && output.format !== 'json') {
    const { rows_affected: rows } = await client.runSql({ body: { ...request, write: true, dry_run: true } });
    if (!(await confirm(context, `This changes ${counted(rows ?? 0, 'row')}. Continue?`))) {
      const isAnswer = process.stdin.isTTY === true;
      output.detail(`Nothing was changed.${isAnswer ? '' : ' Use --yes to continue without asking.'}`);
      return;
    }
  }
  const reply = await client.runSql({ body: { ...request, write: true } });
  output.record('sql', reply, `Changed ${counted(reply.rows_affected ?? 0, 'row')}`);
}

const printRows = ({ output }: Context, reply: SqlReply) =>
  output.list<Record<string, unknown>>({
    items: reply.items as Record<string, unknown>[],
    columns: reply.columns.map((title) => ({
      title,
      value: (row) => row[title],
      // A number that is cut reads as another one.
      ...(reply.items.some((row) => typeof (row as Record<string, unknown>)[title] === 'string') ? { cut: 'end' } : {}),
    })),
    things: reply.items.length === 1 ? 'row' : 'rows',
    empty: 'No rows.',
    json: reply,
  });
