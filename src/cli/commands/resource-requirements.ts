import { sortFields } from '../../core/contract/sort-fields.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import { chooseRecord, recordKinds, workflowOption } from '../choose/choose-record.ts';
import { openWorkflow } from '../choose/choose-workflow.ts';
import { type Command, command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { integerOption, type Option, type ValuesOf, option } from '../command/option.ts';
import { amount } from '../output/columns.ts';
import { fieldsText } from '../output/fields.ts';
import { askedMemoryText, askedTimeText } from '../output/needs-text.ts';
import type { Column } from '../output/table.ts';
import { pagingOptions } from '../records/paging.ts';
import { deleteCommand, getCommand, listCommand } from '../records/record-commands.ts';

const THING = 'resource requirements';

const columns: readonly Column<ResourceRequirements>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'CPUs', value: ({ num_cpus: cpus }) => cpus, align: 'right' },
  { title: 'GPUs', value: ({ num_gpus: gpus }) => gpus, align: 'right' },
  { title: 'Nodes', value: ({ num_nodes: nodes }) => nodes, align: 'right' },
  amount('Memory', ({ memory }) => memory, askedMemoryText, { importance: 7 }),
  amount('Runtime', ({ runtime }) => runtime, askedTimeText, { importance: 6 }),
];

const name = option('-n, --name <name>', 'name that jobs use');

const amounts = {
  cpus: option('--num-cpus <n>', 'CPUs on each node', { read: integerOption(1) }),
  gpus: option('--num-gpus <n>', 'GPUs on each node', { read: integerOption(0) }),
  nodes: option('--num-nodes <n>', 'nodes', { read: integerOption(1) }),
  memory: option('-m, --memory <amount>', 'memory on each node, such as 512m or 4g'),
  runtime: option('-r, --runtime <duration>', 'maximum runtime, such as 2h, 90s or PT2H'),
} as const satisfies Record<string, Option>;

type Amounts = ValuesOf<readonly [typeof name, ...(typeof amounts)[keyof typeof amounts][]]>;

/** The fields that were given. */
const fieldsOf = (options: Amounts) => ({
  name: options.name,
  num_cpus: options.numCpus,
  num_gpus: options.numGpus,
  num_nodes: options.numNodes,
  memory: options.memory,
  runtime: options.runtime,
});

const requirementsCreate = command('resource-requirements create [workflow]', {
  says: 'Create resource requirements that jobs can name.',
  example: '1 --name big --num-cpus 8 --memory 32g --runtime PT2H',
  options: [
    { ...name, required: true },
    { ...amounts.cpus, default: 1 },
    { ...amounts.gpus, default: 0 },
    { ...amounts.nodes, default: 1 },
    { ...amounts.memory, default: '1m' },
    { ...amounts.runtime, default: 'PT1M' },
  ],
  async run(context, [workflow], options) {
    context.output.recordOnly(THING);
    const { id, client } = await openWorkflow(context, workflow);
    const body = { ...fieldsOf(options), workflow_id: id, name: options.name };
    const record = await client.createResourceRequirements({ body });
    context.output.record(THING, record, `Created ${THING} ${record.id}`);
  },
});

const requirementsList = listCommand('resource-requirements list', {
  says: 'List the resource requirements of a workflow.',
  things: THING,
  options: pagingOptions(sortFields.resource_requirements),
  columns,
  page: (client, id, _options, paging) => client.listResourceRequirements({ query: { workflow_id: id, ...paging } }),
});

const requirementsGet = {
  ...getCommand('resource-requirements get', recordKinds.requirements),
  says: 'Show one record of resource requirements.',
};

const requirementsUpdate = command('resource-requirements update <resource-requirements>', {
  says: 'Change resource requirements; fields that are not given keep their value.',
  example: 'big -w 1 --memory 64g',
  options: [name, ...Object.values(amounts), workflowOption],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly(THING);
    const wanted = Object.fromEntries(Object.entries(fieldsOf(options)).filter(([, value]) => value !== undefined));
    if (Object.keys(wanted).length === 0)
      throw new Failure('nothing to change: give --name, --num-cpus, --num-gpus, --num-nodes, --memory or --runtime');
    const id = await chooseRecord(context, recordKinds.requirements, given, options.workflowId);
    const { client } = await context.service();
    // The server replaces the whole record: missing fields would get their default.
    const before = await client.getResourceRequirements({ params: { id } });
    const record = await client.updateResourceRequirements({ params: { id }, body: { ...before, ...wanted } });
    output.record(THING, record, fieldsText(`Updated ${THING} ${id}:`, record));
  },
});

const requirementsDelete = {
  ...deleteCommand('resource-requirements delete', recordKinds.requirements),
  says: 'Delete resource requirements that no job uses.',
};

export const resourceRequirementCommands: readonly Command[] = [
  requirementsCreate,
  requirementsList,
  requirementsGet,
  requirementsUpdate,
  requirementsDelete,
];
