import type { FailureHandler } from '../../core/contract/scheduling.ts';
import { recordKinds } from '../choose/choose-record.ts';
import type { Command } from '../command/command.ts';
import type { Column } from '../output/table.ts';
import { rangeOptions } from '../records/paging.ts';
import { getCommand, listCommand } from '../records/record-commands.ts';

const columns: readonly Column<FailureHandler>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Rules', value: ({ rules }) => rules, cut: 'end' },
];

export const failureHandlerCommands: readonly Command[] = [
  listCommand('failure-handlers list', {
    says: 'List the failure handlers of a workflow.',
    things: 'failure handlers',
    options: rangeOptions,
    columns,
    page: (client, id, _options, paging) => client.listFailureHandlers({ params: { id }, query: paging }),
  }),
  getCommand('failure-handlers get', recordKinds.failureHandler),
];
