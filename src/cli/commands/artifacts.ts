import type { File, UserData } from '../../core/contract/artifact.ts';
import type { Command } from '../command.ts';
import { Failure } from '../failure.ts';
import { integer } from '../option.ts';
import { chooseWorkflow, idOf } from '../choose-workflow.ts';
import type { Column } from '../output/table.ts';
import { allRows, pagingOptions } from '../paging.ts';

const fileColumns: readonly Column<File>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name },
  { title: 'Path', value: ({ path }) => path },
  { title: 'Modified Time', value: ({ st_mtime: seconds }) => (seconds ? new Date(seconds * 1000).toISOString() : '') },
];

export const filesList: Command = {
  words: 'files list [workflow]',
  says: 'List the files of a workflow.',
  options: [
    { flags: '--produced-by-job-id <id>', says: 'only outputs of this job', read: integer('--produced-by-job-id', 1) },
    ...pagingOptions,
  ],
  async run(context, [workflow], options) {
    const id = await chooseWorkflow(context, workflow);
    const { client } = await context.service();
    const items = await allRows(options, (paging) =>
      client.listFiles({
        query: { workflow_id: id, produced_by_job_id: options['producedByJobId'] as number | undefined, ...paging },
      }),
    );
    context.output.list({
      items,
      columns: fileColumns,
      things: 'files',
      title: `Files for workflow ${id}:`,
      empty: `No files found for workflow ID: ${id}`,
    });
  },
};

/** Characters of a value that a table shows. */
const PREVIEW = 60;

const preview = (data: unknown) => {
  const text = data === undefined ? '' : JSON.stringify(data);
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW - 1)}…` : text;
};

const userDataColumns: readonly Column<UserData>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name },
  { title: 'Ephemeral', value: ({ is_ephemeral: isEphemeral }) => isEphemeral },
  { title: 'Data Preview', value: ({ data }) => preview(data) },
];

export const userDataList: Command = {
  words: 'user-data list [workflow]',
  says: 'List the user data of a workflow.',
  options: [
    { flags: '-l, --limit <n>', says: 'at most so many', default: 50, read: integer('--limit', 0) },
    { flags: '-o, --offset <n>', says: 'leave out so many at the start', default: 0, read: integer('--offset', 0) },
    { flags: '--sort-by <field>', says: 'order by this field' },
    { flags: '--reverse-sort', says: 'largest first' },
    { flags: '--name <text>', says: 'only names that contain this' },
    { flags: '--is-ephemeral <flag>', says: 'only ephemeral ones, or only others', choices: ['true', 'false'] },
    { flags: '--consumer-job-id <id>', says: 'only what this job reads', read: integer('--consumer-job-id', 1) },
    { flags: '--producer-job-id <id>', says: 'only what this job writes', read: integer('--producer-job-id', 1) },
  ],
  async run(context, [workflow], options) {
    const id = await chooseWorkflow(context, workflow);
    const { client } = await context.service();
    const isEphemeral = options['isEphemeral'] as string | undefined;
    const items = await allRows(options, (paging) =>
      client.listUserData({
        query: {
          workflow_id: id,
          name: options['name'] as string | undefined,
          is_ephemeral: isEphemeral === undefined ? undefined : isEphemeral === 'true',
          consumer_job_id: options['consumerJobId'] as number | undefined,
          producer_job_id: options['producerJobId'] as number | undefined,
          ...paging,
        },
      }),
    );
    context.output.list({
      items,
      columns: userDataColumns,
      things: 'user data records',
      title: `User data for workflow ${id}:`,
      empty: `No user data found for workflow ID: ${id}`,
    });
  },
};

export const userDataGet: Command = {
  words: 'user-data get <id>',
  says: 'Show one user data record.',
  async run({ service, output }, [given]) {
    const { client } = await service();
    const record = await client.getUserData({ params: { id: idOf('user data', given) } });
    output.record('user data', record, userDataText(record));
  },
};

export const userDataUpdate: Command = {
  words: 'user-data update <id>',
  says: 'Change user data; jobs publish values with this.',
  options: [
    { flags: '-n, --name <name>', says: 'a new name' },
    { flags: '-d, --data <json>', says: 'a new value, as JSON', read: json },
    { flags: '--ephemeral <flag>', says: 'is it ephemeral?', choices: ['true', 'false'] },
  ],
  async run({ service, output }, [given], options) {
    output.recordOnly('user data');
    const { client } = await service();
    const ephemeral = options['ephemeral'] as string | undefined;
    const body = {
      name: options['name'] as string | undefined,
      data: options['data'] as UserData['data'],
      is_ephemeral: ephemeral === undefined ? undefined : ephemeral === 'true',
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Failure('nothing to change: give --data, --name or --ephemeral');
    }
    const record = await client.updateUserData({ params: { id: idOf('user data', given) }, body });
    output.record('user data', record, userDataText(record));
  },
};

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Failure(`--data is not JSON: ${(cause as Error).message}. Text needs quotes of its own: '"text"'`, {
      cause,
    });
  }
}

const userDataText = ({ id, name, data, is_ephemeral: isEphemeral }: UserData) =>
  [
    `User data ${id}:`,
    `  Name: ${name}`,
    `  Ephemeral: ${isEphemeral}`,
    `  Data: ${data === undefined ? '' : JSON.stringify(data, undefined, 2)}`,
  ].join('\n');
