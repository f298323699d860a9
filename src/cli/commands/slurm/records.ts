import type { SlurmScheduler } from '../../../core/contract/scheduling.ts';
import { parseWalltime } from '../../../core/quantity/slurm-time.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import { chooseRecord, recordKinds, workflowOption } from '../../choose/choose-record.ts';
import { integerOption, option, optionsOf, type ValuesOf } from '../../command/option.ts';
import { fieldsText } from '../../output/fields.ts';
import type { Column } from '../../output/table.ts';
import { rangeOptions } from '../../records/paging.ts';
import { deleteCommand, getCommand, listCommand } from '../../records/record-commands.ts';

const THING = 'scheduler';

const columns: readonly Column<SlurmScheduler>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Account', value: ({ account }) => account },
  { title: 'Nodes', value: ({ nodes }) => nodes, align: 'right' },
  { title: 'Walltime', value: ({ walltime }) => walltime },
  { title: 'Partition', value: ({ partition }) => partition },
  { title: 'QOS', value: ({ qos }) => qos },
  { title: 'Select', value: ({ pbs }) => pbs?.select, importance: 1 },
  { title: 'Serialized', value: ({ serialize_allocations: serialized }) => (serialized === true ? 'yes' : 'no') },
];

/** `sbatch --time` of a scheduler. */
function walltime(text: string): string {
  try {
    parseWalltime(text);
    return text;
  } catch {
    throw new UsageError(`--walltime: expected D-HH:MM:SS, HH:MM:SS, MM:SS or whole minutes, found "${text}"`);
  }
}

/** Options of `create` and `update` with the same names. */
const shared = optionsOf([
  option('-g, --gres <gres>', 'generic resources per node, such as gpu:2'),
  option('-m, --mem <memory>', 'memory per node, such as 64g'),
  option('-p, --partition <partition>', 'partition'),
  option('-t, --tmp <size>', 'temporary disk space per node'),
  option('-e, --extra <options>', 'further options of sbatch or qsub, as one text'),
]);

/** Of `create` some are always set, of `update` none. */
interface SchedulerValues extends ValuesOf<typeof shared> {
  readonly name?: string | undefined;
  readonly account?: string | undefined;
  readonly nodes?: number | undefined;
  readonly walltime?: string | undefined;
  readonly qos?: string | undefined;
  readonly serializeAllocations?: boolean | undefined;
}

const bodyOf = (options: SchedulerValues) => ({
  name: options.name,
  account: options.account,
  nodes: options.nodes,
  walltime: options.walltime,
  gres: options.gres,
  mem: options.mem,
  partition: options.partition,
  qos: options.qos,
  tmp: options.tmp,
  extra: options.extra,
  serialize_allocations: options.serializeAllocations,
});

const create = command('slurm create [workflow]', {
  says: 'Add a scheduler to a workflow: what allocations ask for.',
  example: '1 --name small --account climate',
  options: [
    option('-n, --name <name>', 'name of the scheduler', { required: true }),
    option('-a, --account <account>', 'account', { required: true }),
    option('-N, --nodes <n>', 'nodes of an allocation', { default: 1, read: integerOption(1) }),
    option('-q, --qos <qos>', 'quality of service', { default: 'normal' }),
    option('-W, --walltime <time>', 'time limit of an allocation', { default: '04:00:00', read: walltime }),
    ...shared,
    option('--serialize-allocations', 'start an allocation only after the one before has ended'),
  ],
  async run(context, [workflow], options) {
    const { output } = context;
    output.recordOnly(THING);
    const { id, client } = await openWorkflow(context, workflow);
    const { account, nodes, walltime: limit } = options;
    const body = { ...bodyOf(options), account, nodes, walltime: limit, workflow_id: id };
    const record = await client.createSlurmScheduler({ body });
    output.record(THING, record, fieldsText('Added scheduler:', record));
  },
});

const update = command('slurm update <slurm-scheduler>', {
  says: 'Change a scheduler; fields that are not given keep their value.',
  example: 'small --account climate',
  options: [
    option('-N, --name <name>', 'name of the scheduler'),
    option('-a, --account <account>', 'account'),
    option('-n, --nodes <n>', 'nodes of an allocation', { read: integerOption(1) }),
    option('-q, --qos <qos>', 'quality of service'),
    option('--walltime <time>', 'time limit of an allocation', { read: walltime }),
    ...shared,
    option('--serialize-allocations <bool>', 'true: start an allocation only after the one before has ended', {
      read: trueOrFalse,
    }),
    workflowOption,
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly(THING);
    const id = await chooseRecord(context, recordKinds.slurmScheduler, given, options.workflowId);
    const changes = Object.entries(bodyOf(options)).filter(([, value]) => value !== undefined);
    if (changes.length === 0) throw new UsageError('slurm update: expected at least one option to change, found none');
    const { client } = await context.service();
    // Torc's own server wants the whole record.
    const body = { ...(await client.getSlurmScheduler({ params: { id } })), ...Object.fromEntries(changes) };
    const record = await client.updateSlurmScheduler({ params: { id }, body });
    output.record(THING, record, fieldsText('Updated scheduler:', record));
  },
});

function trueOrFalse(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`--serialize-allocations: expected true or false, found "${text}"`);
}

export const slurmRecords: readonly Command[] = [
  create,
  update,
  listCommand('slurm list', {
    says: 'List the schedulers of a workflow: what its allocations ask for.',
    things: 'schedulers',
    options: rangeOptions,
    columns,
    page: (client, id, _options, paging) => client.listSlurmSchedulers({ query: { workflow_id: id, ...paging } }),
  }),
  getCommand('slurm get', recordKinds.slurmScheduler),
  deleteCommand('slurm delete', recordKinds.slurmScheduler),
];
