import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { UserData } from '../../../core/contract/artifact.ts';
import { chooseRecord, recordKinds, workflowOption } from '../../choose/choose-record.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { option } from '../../command/option.ts';
import type { Column } from '../../output/table.ts';
import { allRows, cutRangeOptions, sortOptions } from '../../records/paging.ts';
import { listCommand } from '../../records/record-commands.ts';

/** The default number of rows of the list: values may be large. */
const LISTED = 50;
/** Characters of a value that a table shows. */
const PREVIEW = 60;

const preview = (data: unknown) => {
  const text = data === undefined ? '' : JSON.stringify(data);
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW - 1)}…` : text;
};

const columns: readonly Column<UserData>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Ephemeral', value: ({ is_ephemeral: isEphemeral }) => isEphemeral, importance: 3 },
  { title: 'Data Preview', short: 'Data', value: ({ data }) => preview(data), cut: 'end', importance: 6 },
];

/** Which job reads user data, and which writes it. */
export const consumer = (says: string) => option('--consumer-job-id <job>', says);
export const producer = (says: string) => option('--producer-job-id <job>', says);

const userDataList = listCommand('user-data list', {
  says: 'List the user data of a workflow.',
  things: 'user data',
  counted: 'user data records',
  options: [
    ...cutRangeOptions(LISTED),
    ...sortOptions(sortFields.user_data),
    option('--name <text>', 'only names that contain this'),
    option('--is-ephemeral <flag>', 'only ephemeral ones, or only others', { choices: ['true', 'false'] }),
    consumer('only user data that this job reads, by id or name'),
    producer('only user data that this job writes, by id or name'),
  ],
  columns,
  recordOptions: { consumerJobId: recordKinds.job, producerJobId: recordKinds.job },
  page: (client, id, options, paging, recordIds) => {
    const isEphemeral = options.isEphemeral;
    return client.listUserData({
      query: {
        workflow_id: id,
        name: options.name,
        is_ephemeral: isEphemeral === undefined ? undefined : isEphemeral === 'true',
        consumer_job_id: recordIds.consumerJobId,
        producer_job_id: recordIds.producerJobId,
        ...paging,
      },
    });
  },
});

const userDataGet = command('user-data get <user-data>', {
  says: 'Show one user data record.',
  options: [workflowOption],
  async run(context, [given], options) {
    const { output } = context;
    const id = await chooseRecord(context, recordKinds.userData, given, options.workflowId);
    const { client } = await context.service();
    const record = await client.getUserData({ params: { id } });
    output.record('user data', record, userDataText(record));
  },
});

const userDataListMissing = command('user-data list-missing [workflow]', {
  says: 'List user data without a value that jobs read and no job produces, and empty outputs of completed jobs.',
  async run(context, [workflow]) {
    const { id, client } = await openWorkflow(context, workflow);
    const { user_data: ids } = await client.listMissingUserData({ params: { id } });
    const missing = new Set(ids);
    // JSON contains only ids; users want to see the records.
    const isToSee = context.output.format !== 'json' && ids.length > 0;
    const known = isToSee
      ? await allRows({}, (paging) => client.listUserData({ query: { workflow_id: id, ...paging } }))
      : [];
    context.output.list({
      items: known.filter((record) => missing.has(record.id)),
      columns,
      things: 'user data records',
      title: `Missing user data for workflow ${id}:`,
      empty: `No missing user data found for workflow ID: ${id}`,
      json: { user_data: ids },
    });
  },
});

/** A record as text; its value as JSON over several lines. */
export const userDataText = ({ id, name, data, is_ephemeral: isEphemeral }: UserData) =>
  [
    `User data ${id}:`,
    `  Name: ${name}`,
    `  Ephemeral: ${isEphemeral}`,
    `  Data: ${data === undefined ? '' : JSON.stringify(data, undefined, 2)}`,
  ].join('\n');

export const userDataCommands: readonly Command[] = [userDataList, userDataGet, userDataListMissing];
