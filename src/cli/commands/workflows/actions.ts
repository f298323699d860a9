import { recordKinds, recordWithin } from '../../choose/choose-record.ts';
import type { Client } from '../../../client/client.ts';
import type { WorkflowAction } from '../../../core/contract/scheduling.ts';
import { agrees, noPrompts } from '../../choose/agree.ts';
import { chooseWorkflow, openWorkflow } from '../../choose/choose-workflow.ts';
import { idOf } from '../../choose/id-or-name.ts';
import { type Command, command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { jsonObject } from '../../command/json-object.ts';
import { integerOption, option, optionsOf } from '../../command/option.ts';
import { fieldsText } from '../../output/fields.ts';
import { date } from '../../output/columns.ts';
import type { Column } from '../../output/table.ts';

const configOf = ({ action_config: config }: WorkflowAction) => config as Readonly<Record<string, unknown>>;

const columns: readonly Column<WorkflowAction>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right', importance: 8 },
  { title: 'Trigger', value: ({ trigger_type: trigger }) => trigger },
  { title: 'Action', value: ({ action_type: type }) => type },
  {
    title: 'Allocations',
    value: (action) => (action.action_type === 'schedule_nodes' ? (configOf(action)['num_allocations'] ?? 1) : ''),
    align: 'right',
  },
  { title: 'Progress', value: ({ trigger_count: count, required_triggers: of }) => `${count ?? 0}/${of ?? 1}` },
  { title: 'Status', value: statusOf, importance: 8 },
  date('Executed At', (action) => action.executed_at, { importance: 3 }),
  { title: 'Job IDs', value: ({ job_ids: ids }) => (ids ?? []).join(', '), cut: 'end', importance: 2 },
];

function statusOf({ executed, state, trigger_count: count, required_triggers: of }: WorkflowAction): string {
  if (state === 'open') return 'Claimed';
  if (state === 'failed') return 'Failed';
  if (state === 'interrupted') return 'Interrupted';
  if (executed === true) return 'Executed';
  return (count ?? 0) >= (of ?? 1) ? 'Pending' : 'Waiting';
}

const list = command('workflows list-actions [workflow]', {
  says: 'List the actions of a workflow, and how far the trigger of each is.',
  async run(context, [given]) {
    const { id, client } = await openWorkflow(context, given);
    const actions = await client.listWorkflowActions({ params: { id } });
    context.output.list({
      items: actions,
      columns,
      things: 'actions',
      title: `Actions for workflow ${id}:`,
      empty: `No actions found for workflow ID: ${id}`,
      json: { actions },
    });
  },
});

const configOptions = optionsOf([
  option('--scheduler-id <scheduler>', 'scheduler of the allocations, by id or name'),
  option('--scheduler-type <type>', 'type of the scheduler', { choices: ['slurm', 'local'] }),
  option('--num-allocations <n>', 'number of allocations', { read: integerOption(1) }),
  option('--start-one-worker-per-node <flag>', 'one runner on each node of an allocation', {
    choices: ['true', 'false'],
  }),
  option('--max-parallel-jobs <n>', 'number of jobs that run at once', {
    read: integerOption(1),
  }),
]);

const update = command('workflows update-action <workflow> <action>', {
  says: 'Change the allocations that an action requests; fields that are not given keep their value.',
  example: '1 3 --num-allocations 2',
  options: [
    ...configOptions,
    option('--json <object>', 'the same as a JSON object; other options have precedence', {
      read: jsonObject,
    }),
  ],
  async run(context, [givenWorkflow, givenAction], options) {
    const { output } = context;
    output.recordOnly('action');
    const actionId = idOf('action', givenAction);
    const id = await chooseWorkflow(context, givenWorkflow);
    const perNode = options.startOneWorkerPerNode;
    const flags = {
      scheduler_id: await recordWithin(context, recordKinds.slurmScheduler, id, options.schedulerId),
      scheduler_type: options.schedulerType,
      num_allocations: options.numAllocations,
      start_one_worker_per_node: perNode === undefined ? undefined : perNode === 'true',
      max_parallel_jobs: options.maxParallelJobs,
    };
    const given = Object.entries(flags).filter(([, value]) => value !== undefined);
    const body = { ...options.json, ...Object.fromEntries(given) };
    if (Object.keys(body).length === 0)
      throw new Failure(
        'no fields to update. Provide at least one of --scheduler-id, --scheduler-type, --num-allocations, --start-one-worker-per-node, --max-parallel-jobs, --json',
      );
    const { client } = await context.service();
    const { action_type: type } = await actionOf(client, id, actionId);
    if (type !== 'schedule_nodes')
      throw new Failure(`action ${actionId} is of type ${type}, and update-action only supports schedule_nodes`);
    const action = await client.updateWorkflowAction({ params: { id, action_id: actionId }, body: body as never });
    output.record('action', action, fieldsText(`Updated action ${actionId}:`, action));
  },
});

const remove = command('workflows delete-action <workflow> <action>', {
  says: 'Delete an action of a workflow.',
  options: [noPrompts],
  async run(context, [givenWorkflow, givenAction], options) {
    const { output } = context;
    output.recordOnly('delete-action');
    const actionId = idOf('action', givenAction);
    const { id, client } = await openWorkflow(context, givenWorkflow);
    const { trigger_type: trigger, action_type: type } = await actionOf(client, id, actionId);
    const question = `Delete action ${actionId} (${type} ${trigger}) of workflow ${id}?`;
    if (!(await agrees(context, options, { question, otherwise: `Action ${actionId} was not deleted.` }))) return;
    await client.deleteWorkflowAction({ params: { id, action_id: actionId } });
    output.record(
      'delete-action',
      { action_id: actionId, deleted: true, workflow_id: id },
      `Deleted action ${actionId} of workflow ${id}`,
    );
  },
});

async function actionOf(client: Client, workflow: number, id: number): Promise<WorkflowAction> {
  const found = (await client.listWorkflowActions({ params: { id: workflow } })).find((action) => action.id === id);
  if (found === undefined) throw new Failure(`action ${id} was not found in workflow ${workflow}.`);
  return found;
}

export const workflowActions: readonly Command[] = [list, update, remove];
