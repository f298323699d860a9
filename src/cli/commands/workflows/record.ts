import type { WorkflowChange } from '../../../core/contract/workflow.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { jsonObject } from '../../command/json-object.ts';
import { fieldsText } from '../../output/fields.ts';
import { limitOption } from '../../command/workflow-settings.ts';
import { option } from '../../command/option.ts';

const get = command('workflows get [workflow]', {
  says: 'Show one workflow.',
  async run(context, [given]) {
    const { id, client } = await openWorkflow(context, given);
    const workflow = await client.getWorkflow({ params: { id } });
    const text = fieldsText(`Workflow ${id}:`, workflow);
    if (context.output.format === 'csv') context.output.text(text);
    else context.output.record('workflow', workflow, text);
  },
});

const create = command('workflows new', {
  says: 'Create an empty workflow.',
  example: '--name sweep',
  makesDatabase: true,
  options: [
    option('-n, --name <name>', 'name of the workflow'),
    option('-d, --description <text>', 'description of the workflow'),
  ],
  async run({ service, settings, output }, _args, options) {
    output.recordOnly('workflow');
    const name = options.name;
    if (name === undefined) throw new UsageError('a workflow needs a name: --name NAME');
    const { client } = await service();
    const body = { name, user: settings.user, description: options.description };
    const workflow = await client.createWorkflow({ body });
    output.record('workflow', workflow, `Created workflow ${workflow.id}`);
  },
});

const update = command('workflows update [workflow]', {
  says: 'Change the fields of a workflow; fields that are not given keep their value.',
  example: '1 --name renamed',
  options: [
    option('-n, --name <name>', 'a new name'),
    option('-d, --description <text>', 'a new description'),
    option('--owner-user <user>', 'new owner'),
    option('--project <name>', 'project of the workflow'),
    option(
      '--limit <name=n>',
      'what its jobs may hold at a time, of jobs, cores, gpus and nodes, and of their licenses; may be repeated, other limits stay',
      {
        read: limitOption,
        many: true,
      },
    ),
    option('--no-limits', 'remove all limits first'),
    option('--metadata <json>', 'other metadata, as a JSON object', { read: jsonObject }),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('workflow');
    const limits = options.limit === undefined ? undefined : Object.fromEntries(options.limit);
    const changes = {
      name: options.name,
      description: options.description,
      user: options.ownerUser,
      project: options.project,
      metadata: options.metadata,
    } as WorkflowChange;
    if (Object.values({ ...changes, limits }).every((value) => value === undefined) && options.limits)
      throw new Failure(
        'no fields to update. Provide at least one of --name, --description, --owner-user, --project, --metadata, --limit, --no-limits',
      );
    const { id, client } = await openWorkflow(context, given);
    // Torc's own server requires the name and the user in every update.
    const before = await client.getWorkflow({ params: { id } });
    const kept = options.limits ? before.limits : {};
    const changed = limits === undefined && options.limits ? {} : { limits: { ...kept, ...limits } };
    const body = { ...changes, ...changed, name: changes.name ?? before.name, user: changes.user ?? before.user };
    const workflow = await client.updateWorkflow({ params: { id }, body });
    output.record('workflow', workflow, fieldsText(`Updated workflow ${id}:`, workflow));
  },
});

export const workflowRecord: readonly Command[] = [get, create, update];
