import { sortFields } from '../../core/contract/sort-fields.ts';
import type { File } from '../../core/contract/artifact.ts';
import { chooseRecord, recordKinds, workflowOption } from '../choose/choose-record.ts';
import { openWorkflow } from '../choose/choose-workflow.ts';
import { type Command, command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { fileJobsText } from '../../core/lifecycle/explain/file-jobs.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { amount } from '../output/columns.ts';
import { fieldsText } from '../output/fields.ts';
import { localTime } from '../output/local-time.ts';
import { option } from '../command/option.ts';
import type { Column } from '../output/table.ts';
import { allRows, pagingOptions } from '../records/paging.ts';
import { deleteCommand, getCommand, listCommand } from '../records/record-commands.ts';

const sizeOrNothing = (bytes: number | undefined): string => (bytes === undefined ? '' : sizeText(bytes));

const jobsColumn = (title: string, jobsOf: (file: File) => File['made_by'], importance: number): Column<File> => ({
  title,
  value: (file) => fileJobsText(jobsOf(file)),
  cut: 'end',
  importance,
});

const columns: readonly Column<File>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Path', value: ({ path }) => path, cut: 'middle', importance: 8 },
  {
    title: 'Modified Time',
    short: 'Modified',
    value: ({ st_mtime: seconds }) => (seconds ? new Date(seconds * 1000).toISOString() : ''),
    text: ({ st_mtime: seconds }) => (seconds ? localTime(seconds * 1000) : ''),
    importance: 3,
  },
];

const columnsWithUses: readonly Column<File>[] = [
  ...columns,
  amount('Size (B)', ({ size_bytes: size }) => size ?? undefined, sizeOrNothing, { heading: 'Size', importance: 4 }),
  jobsColumn('Made By', ({ made_by: jobs }) => jobs, 6),
  jobsColumn('Read By', ({ read_by: jobs }) => jobs, 5),
];

const name = option('-n, --name <name>', 'name of the file in the workflow');
const path = option('-p, --path <path>', 'path of the file');

const filesCreate = command('files create [workflow]', {
  says: 'Create a file record; the file itself is not checked.',
  example: '1 --name table --path results/table.csv',
  options: [
    { ...name, required: true },
    { ...path, required: true },
  ],
  async run(context, [workflow], options) {
    context.output.recordOnly('file');
    const { id, client } = await openWorkflow(context, workflow);
    const body = { workflow_id: id, name: options.name, path: options.path };
    const file = await client.createFile({ body });
    context.output.record('file', file, `Created file ${file.id}`);
  },
});

const filesList = listCommand('files list', {
  says: 'List the files of a workflow.',
  things: 'files',
  options: [
    option('--produced-by-job-id <job>', 'only outputs of this job, by id or name'),
    ...pagingOptions(sortFields.file),
  ],
  columns: columnsWithUses,
  recordOptions: { producedByJobId: recordKinds.job },
  page: (client, workflowId, _options, paging, recordIds) =>
    client.listFiles({
      query: {
        workflow_id: workflowId,
        produced_by_job_id: recordIds.producedByJobId,
        include_uses: true,
        ...paging,
      },
    }),
});

/** Names of files are those of records here. */
const ofRecord = { kinds: { file: 'file record' }, example: 'table -w 1' } as const;

const filesGet = {
  ...getCommand('files get', recordKinds.file),
  ...ofRecord,
};

const filesUpdate = command('files update <file>', {
  says: 'Change the name or the path of a file record.',
  ...ofRecord,
  example: 'table -w 1 --path results/new.csv',
  options: [name, path, workflowOption],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('file');
    const wanted = { name: options.name, path: options.path };
    if (wanted.name === undefined && wanted.path === undefined)
      throw new Failure('nothing to change: give --name or --path');
    const id = await chooseRecord(context, recordKinds.file, given, options.workflowId);
    const { client } = await context.service();
    const before = await client.getFile({ params: { id } });
    // The server writes the time with every update. The time of another path is not known until it is checked.
    const isSamePath = wanted.path === undefined || wanted.path === before.path;
    const body = {
      workflow_id: before.workflow_id,
      name: wanted.name ?? before.name,
      path: wanted.path ?? before.path,
      ...(isSamePath ? { st_mtime: before.st_mtime } : {}),
    };
    const file = await client.updateFile({ params: { id }, body });
    output.record('file', file, fieldsText(`Updated file ${id}:`, file));
  },
});

const filesDelete = {
  ...deleteCommand('files delete', recordKinds.file),
  ...ofRecord,
};

const filesListRequiredExisting = command('files list-required-existing [workflow]', {
  says: 'List the files that must exist: inputs that no job produces, and outputs of completed jobs.',
  async run(context, [workflow]) {
    const { id, client } = await openWorkflow(context, workflow);
    const { files } = await client.listRequiredExistingFiles({ params: { id } });
    const required = new Set(files);
    // JSON contains only ids; users want to see the files.
    const isToSee = context.output.format !== 'json' && files.length > 0;
    const known = isToSee
      ? await allRows({}, (paging) => client.listFiles({ query: { workflow_id: id, ...paging } }))
      : [];
    context.output.list({
      items: known.filter((file) => required.has(file.id)),
      columns,
      things: 'files',
      title: `Files that must exist for workflow ${id}:`,
      empty: `No required existing files found for workflow ID: ${id}`,
      json: { files },
    });
  },
});

export const fileCommands: readonly Command[] = [
  filesCreate,
  filesList,
  filesGet,
  filesUpdate,
  filesDelete,
  filesListRequiredExisting,
];
