import type { Workflow } from '../../core/contract/workflow.ts';
import { chooseWorkflow, confirm } from '../choose-workflow.ts';
import type { Command } from '../command.ts';
import { Failure } from '../failure.ts';
import type { Context } from '../context.ts';
import { initialize, readiness, reinitialize } from '../initialize.ts';
import type { Column } from '../output/table.ts';
import { counted } from '../output/words.ts';
import { allRows, pagingOptions } from '../paging.ts';

const columns = (withUser: boolean): readonly Column<Workflow>[] => [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  ...(withUser ? [{ title: 'User', value: ({ user }: Workflow) => user }] : []),
  { title: 'Name', value: ({ name }) => name },
  { title: 'Run', value: ({ run_id: run }) => run, align: 'right' },
  { title: 'Canceled', value: ({ is_canceled: is }) => is },
  { title: 'Archived', value: ({ is_archived: is }) => is },
  { title: 'Description', value: ({ description }) => description },
  { title: 'Project', value: ({ project }) => project },
  { title: 'Metadata', value: ({ metadata }) => metadata },
  { title: 'Timestamp', value: ({ timestamp }) => timestamp },
];

export const workflowsList: Command = {
  words: 'workflows list',
  says: 'List workflows.',
  options: [
    ...pagingOptions,
    { flags: '--archived-only', says: 'only archived ones' },
    { flags: '--include-archived', says: 'archived ones too' },
    { flags: '-a, --all-users', says: 'of all users' },
  ],
  async run({ service, settings, output }, _args, options) {
    const { client } = await service();
    const everybody = options['allUsers'] === true;
    const archived = options['archivedOnly'] === true ? true : options['includeArchived'] === true ? undefined : false;
    const items = await allRows(options, (paging) =>
      client.listWorkflows({
        query: { user: everybody ? undefined : settings.user, is_archived: archived, ...paging },
      }),
    );
    output.list({
      items,
      columns: columns(everybody),
      things: 'workflows',
      empty: everybody ? 'No workflows found.' : `No workflows found for user: ${settings.user}`,
    });
  },
};

function workflowText(workflow: Workflow): string {
  const lines = Object.entries(workflow).map(
    ([field, value]) => `  ${field}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return [`Workflow ${workflow.id}:`, ...lines].join('\n');
}

export const workflowsGet: Command = {
  words: 'workflows get [workflow]',
  says: 'Show one workflow.',
  async run(context, [given]) {
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const workflow = await client.getWorkflow({ params: { id } });
    if (context.output.format === 'csv') context.output.text(workflowText(workflow));
    else context.output.record('workflow', workflow, workflowText(workflow));
  },
};

export const workflowsNew: Command = {
  words: 'workflows new',
  says: 'Create an empty workflow.',
  options: [
    { flags: '-n, --name <name>', says: 'its name' },
    { flags: '-d, --description <text>', says: 'what it is for' },
  ],
  async run({ service, settings, output }, _args, options) {
    output.recordOnly('workflow');
    const name = options['name'] as string | undefined;
    if (name === undefined) throw new Failure('a workflow needs a name: --name NAME', { exitCode: 2 });
    const { client } = await service();
    const body = { name, user: settings.user, description: options['description'] as string | undefined };
    const workflow = await client.createWorkflow({ body });
    output.record('workflow', workflow, `Created workflow ${workflow.id}`);
  },
};

const force = { flags: '--force', says: 'even when input files are missing' };
const noPrompts = { flags: '--no-prompts', says: 'do not ask' };
const dryRun = { flags: '--dry-run', says: 'only say whether it is safe' };

/** Says whether a workflow could be initialised, and changes nothing. */
async function sayReadiness({ service, output, exitWith }: Context, id: number): Promise<void> {
  const { client } = await service();
  const { missingInputs, existingOutputs } = await readiness(client, id);
  const safe = missingInputs.length === 0;
  output.record(
    'readiness',
    {
      workflow_id: id,
      safe,
      missing_input_files: missingInputs,
      missing_input_file_count: missingInputs.length,
      existing_output_files: existingOutputs,
      existing_output_file_count: existingOutputs.length,
    },
    [
      safe ? `Workflow ${id} can be initialized.` : `Workflow ${id} cannot be initialized.`,
      ...missingInputs.map((path) => `  missing input: ${path}`),
      ...existingOutputs.map((path) => `  existing output, will be overwritten: ${path}`),
    ].join('\n'),
  );
  if (!safe) exitWith(1);
}

const initialized = ({ output }: Context, id: number, words: string) =>
  output.record('workflow', { status: 'success', message: words, workflow_id: id }, words);

export const workflowsInit: Command = {
  words: 'workflows init [workflow]',
  says: 'Make a workflow ready to run from the beginning.',
  options: [force, noPrompts, dryRun],
  async run(context, [given], options) {
    context.output.recordOnly('workflow');
    const id = await chooseWorkflow(context, given);
    if (options['dryRun'] === true) return sayReadiness(context, id);
    const { client } = await context.service();
    const isAsking = options['noPrompts'] !== true && context.output.format !== 'json' && process.stdin.isTTY === true;
    const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id } });
    if (
      isAsking &&
      !isFresh &&
      !(await confirm(context, `Workflow ${id} has run before. Begin again with every job?`))
    ) {
      context.output.notice('Not initialized.');
      return;
    }
    await initialize(client, id, { force: options['force'] === true, output: context.output });
    initialized(context, id, `Initialized workflow ${id}`);
  },
};

export const workflowsReinit: Command = {
  words: 'workflows reinit [workflow]',
  says: 'Make ready what changed since the last run: changed inputs, missing outputs, and all downstream of them.',
  options: [force, dryRun],
  async run(context, [given], options) {
    context.output.recordOnly('workflow');
    const id = await chooseWorkflow(context, given);
    if (options['dryRun'] === true) return sayReadiness(context, id);
    const { client } = await context.service();
    await reinitialize(client, id, { force: options['force'] === true });
    initialized(context, id, `Reinitialized workflow ${id}`);
  },
};

export const workflowsResetStatus: Command = {
  words: 'workflows reset-status [workflow]',
  says: 'Begin a new run with all jobs uninitialized, or with --failed-only those that failed and all downstream of them.',
  options: [
    { flags: '--failed-only', says: 'only jobs that failed, were terminated or canceled, and their downstream' },
    { flags: '-r, --reinitialize', says: 'and make them ready at once' },
    { flags: '--force', says: 'even when jobs run' },
    noPrompts,
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('reset-status');
    const id = await chooseWorkflow(context, given);
    const failedOnly = options['failedOnly'] === true;
    const isAsking = options['noPrompts'] !== true && output.format !== 'json' && process.stdin.isTTY === true;
    if (
      isAsking &&
      !(await confirm(context, `Reset ${failedOnly ? 'the failed jobs' : 'all jobs'} of workflow ${id}?`))
    ) {
      output.notice('Nothing was reset.');
      return;
    }
    const { client } = await context.service();
    const isForced = options['force'] === true;
    await client.resetStatus({ params: { id }, query: { force: isForced } });
    const { updated_count: count } = await client.resetJobStatus({
      params: { id },
      query: { failed_only: failedOnly || undefined },
    });
    const reinit = options['reinitialize'] === true;
    if (reinit) await reinitialize(client, id, { force: isForced, newRun: false });
    const messages = [
      `Reset ${counted(count, 'job')} of workflow ${id}`,
      ...(reinit ? [`Reinitialized workflow ${id}`] : []),
    ];
    output.record(
      'reset-status',
      {
        status: 'success',
        workflow_id: id,
        failed_only: failedOnly,
        operations: { workflow_reset: true, job_reset: true, reinitialize: reinit },
        messages,
      },
      messages.join('\n'),
    );
  },
};
