import type { Client } from '../../../client/client.ts';
import { ServiceError } from '../../../client/errors.ts';
import { all } from '../../../client/every.ts';
import type { SlurmScheduler } from '../../../core/contract/scheduling.ts';
import { initialize } from '../../../operations/run/initialize.ts';
import { requestOf } from '../../../core/allocation/request.ts';
import { scheduleNodes } from '../../../operations/submit/schedule-nodes.ts';
import { AllocationsFailed } from '../../../operations/submit/submit-tools.ts';
import { idOrName } from '../../choose/id-or-name.ts';
import { noPrompts } from '../../choose/agree.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';
import { reportPreparation } from '../../output/preparation.ts';
import { submitOptions } from '../../slurm/slurm-options.ts';
import { submitTools, warnOfLoopback } from '../../slurm/slurm-tools.ts';
import { reportUnrunnable } from '../../slurm/before-submission.ts';

const [outputDir, ...runnerOptions] = submitOptions;

export const slurmScheduleNodes = command('slurm schedule-nodes [workflow]', {
  says: 'Submit allocations of a scheduler for a workflow.',
  more: 'Repeated after it was interrupted, it submits what was missing, and nothing twice. Repeated otherwise, it submits more.',
  options: [
    option('-j, --job-prefix <text>', 'text before the names of the jobs of allocations', { default: '' }),
    option('--keep-submission-scripts', 'keep the scripts that were given to the batch system'),
    option('-m, --max-parallel-jobs <n>', 'each runner runs this many jobs at once and ignores their requirements', {
      read: integerOption(1),
    }),
    option('-n, --num-hpc-jobs <n>', 'number of allocations', { default: 1, read: integerOption(1) }),
    { ...outputDir, flags: '-o, --output <folder>' },
    ...runnerOptions,
    option('--scheduler-config-id <scheduler>', 'the scheduler, by id or name; not needed if the workflow has one'),
    option('--start-one-worker-per-node', 'start a runner on each node of an allocation'),
    option(
      '--suppress-actions',
      'first mark the due actions schedule_nodes of the workflow as executed, so that runners do not submit more',
    ),
    noPrompts,
  ],
  async run(context, [workflow], options) {
    const id = await chooseWorkflow(context, workflow);
    const tools = await submitTools(context, { ...options, outputDir: options.output }, 'slurm schedule-nodes');
    const { client } = tools;
    const scheduler = await schedulerOf(client, id, options.schedulerConfigId);
    warnOfLoopback(context, tools.settings.url);
    await refuseCanceled(context, id);
    // A person who asks for allocations gets them.
    await reportUnrunnable(context, id, true);
    const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id } });
    // Otherwise its runners would find no job, and leave.
    if (isFresh) await initialize(client, id, { force: false, report: reportPreparation(context.output) });
    if (options.suppressActions === true) await suppressActions(client, id);
    const wanted = options.numHpcJobs;
    try {
      const { jobIds, isRepeat } = await scheduleNodes(tools, {
        workflowId: id,
        schedulerId: scheduler.id,
        allocations: wanted,
        startOneWorkerPerNode: options.startOneWorkerPerNode === true,
        maxParallelJobs: options.maxParallelJobs,
        jobPrefix: options.jobPrefix,
      });
      if (isRepeat)
        context.output.notice('The same command had been interrupted: what was missing is submitted, and nothing more');
      // A sentence in every format, as in Torc 1.0.0: scripts look for it.
      context.output.text(`Successfully running ${jobIds.length} ${tools.slurm.name} job(s)`);
    } catch (error) {
      if (!(error instanceof AllocationsFailed)) throw error;
      throw new Failure(`${error.submitted} of ${wanted} allocations were submitted: ${error.message}`, {
        cause: error,
      });
    }
  },
});

async function schedulerOf(client: Client, id: number, given: string | undefined): Promise<SlurmScheduler> {
  const found = await all((page) => client.listSlurmSchedulers({ query: { workflow_id: id, ...page } }));
  const names = found.map(({ id: each, name }) => `${each} (${name ?? 'no name'})`).join(', ');
  if (given !== undefined) {
    const meant = idOrName('Slurm scheduler', given);
    const scheduler = found.find((each) => ('id' in meant ? each.id === meant.id : each.name === meant.name));
    if (scheduler !== undefined) return scheduler;
    throw new Failure(
      `workflow ${id} has no scheduler ${'id' in meant ? meant.id : `"${meant.name}"`}; it has ${names === '' ? 'none' : names}`,
    );
  }
  const [only, ...others] = found;
  if (only === undefined)
    throw new Failure(`workflow ${id} has no scheduler: add one with torc slurm create, or torc slurm generate`);
  if (others.length === 0) return only;
  throw new Failure(`workflow ${id} has ${found.length} schedulers; name one with --scheduler-config-id: ${names}`);
}

async function refuseCanceled({ service }: Context, id: number): Promise<void> {
  const { client } = await service();
  const { is_canceled: isCanceled } = await client.getWorkflow({ params: { id } });
  if (isCanceled === true)
    throw new Failure(
      `workflow ${id} is canceled: its runners would end at once; torc workflows init ${id} starts it again`,
    );
}

async function suppressActions(client: Client, id: number): Promise<void> {
  for (const action of await client.listPendingActions({ params: { id } })) {
    if (requestOf(action) === undefined) continue;
    await client.claimWorkflowAction({ params: { id, action_id: action.id }, body: {} }).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.status === 409)) throw error;
    });
  }
}
