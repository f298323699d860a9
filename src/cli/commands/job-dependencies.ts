import type { Command } from '../command/command.ts';
import type { Column } from '../output/table.ts';
import { rangeOptions } from '../records/paging.ts';
import { listCommand } from '../records/record-commands.ts';

/** The id and the name of one side of a relationship: `file_id` and `file_name` for `file`. */
const side = <Row extends object>(title: string, name: string): readonly Column<Row>[] => [
  { title: `${title} ID`, value: (row) => fieldsOfRow(row)[`${name}_id`], align: 'right', importance: 4 },
  { title: `${title} Name`, value: (row) => fieldsOfRow(row)[`${name}_name`], cut: 'middle', importance: 8 },
];

const fieldsOfRow = (row: object) => row as Readonly<Record<string, unknown>>;

const producerAndConsumer = [...side('Producer Job', 'producer_job'), ...side('Consumer Job', 'consumer_job')];

export const jobDependencyCommands: readonly Command[] = [
  listCommand('job-dependencies job-job', {
    says: 'List the dependencies between jobs.',
    things: 'job dependencies',
    options: rangeOptions,
    columns: [...side('Job', 'job'), ...side('Blocked By Job', 'depends_on_job')],
    page: (client, id, _options, paging) => client.listJobDependencies({ params: { id }, query: paging }),
  }),
  listCommand('job-dependencies job-file', {
    says: 'List which job produces which file for which job.',
    things: 'job-file relationships',
    options: rangeOptions,
    columns: [...side('File', 'file'), ...producerAndConsumer],
    page: (client, id, _options, paging) => client.listJobFileRelationships({ params: { id }, query: paging }),
  }),
  listCommand('job-dependencies job-user-data', {
    says: 'List which job produces which user data for which job.',
    things: 'job-user-data relationships',
    options: rangeOptions,
    columns: [...side('User Data', 'user_data'), ...producerAndConsumer],
    page: (client, id, _options, paging) => client.listJobUserDataRelationships({ params: { id }, query: paging }),
  }),
];
