import type { Client } from '../../../client/client.ts';
import { nextCommand } from '../../../core/lifecycle/explain/next-command.ts';
import { type Readiness, readinessOf } from '../../../core/lifecycle/rerun/out-of-date.ts';
import { placeOf } from '../../../core/lifecycle/explain/place.ts';
import { type Reruns, rerunsOf } from '../../../core/lifecycle/rerun/rerun.ts';
import type { Task } from '../../../core/contract/task.ts';
import { agrees, noPrompts } from '../../choose/agree.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { prepare, prepareChanged } from '../../../operations/run/initialize.ts';
import { reportPreparation } from '../../output/preparation.ts';
import { numberOption, option, optionsOf, type ValuesOf } from '../../command/option.ts';
import { gatherPlanFacts, gatherReadyFacts } from '../../../operations/update/plan-facts.ts';
import { counted, someOf } from '../../../core/quantity/count-text.ts';

const initializeOptions = (dryRun: string) =>
  optionsOf([
    option('--force', 'even if input files are missing or jobs run'),
    option('--dry-run', dryRun),
    option('--async', 'do not wait until the server has finished'),
    option(
      '--wait-timeout <s>',
      'wait at most this many seconds; the server continues afterwards (default: no limit)',
      { read: numberOption(0) },
    ),
  ]);

type InitializeValues = ValuesOf<ReturnType<typeof initializeOptions>>;

const init = command('workflows init [workflow]', {
  says: 'Make a workflow ready to run from the beginning.',
  options: [...initializeOptions('only check whether it is possible, and change nothing'), noPrompts],
  async run(context, [given], values) {
    context.output.recordOnly('workflow');
    const id = await chooseWorkflow(context, given);
    if (values.dryRun === true) return sayReadiness(context, id);
    const { client } = await context.service();
    const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id } });
    const question = `Workflow ${id} has run before. Start again with every job?`;
    if (!isFresh && !(await agrees(context, values, { question, otherwise: 'Not initialized.' }))) return;
    await carryOut(context, id, values, {
      done: `Initialized workflow ${id}`,
      async begin() {
        await prepare(client, id, { force: values.force === true, report: reportPreparation(context.output) });
        return client.initializeJobs({ params: { id }, query: { async: true } });
      },
    });
  },
});

const reinit = command('workflows reinit [workflow]', {
  says: 'Make changed jobs ready: those with changed inputs or missing outputs, and everything downstream.',
  example: '1 --dry-run',
  options: initializeOptions('list the jobs that would run, and why, and change nothing'),
  async run(context, [given], values) {
    context.output.recordOnly('workflow');
    const id = await chooseWorkflow(context, given);
    if (values.dryRun === true) return sayReruns(context, id);
    const { client } = await context.service();
    await carryOut(context, id, values, {
      done: `Reinitialized workflow ${id}`,
      async begin() {
        await prepareChanged(client, id, { force: values.force === true, report: reportPreparation(context.output) });
        return client.initializeJobs({ params: { id }, query: { async: true, only_uninitialized: true } });
      },
    });
  },
});

interface Work {
  /** The message when it is done. */
  readonly done: string;
  readonly begin: () => ReturnType<Client['initializeJobs']>;
}

/**
 * Lets the server initialize the workflow and reports the result.
 *
 * An active task is never disturbed: with `--async` it is the reply, otherwise it is waited for first.
 */
async function carryOut(context: Context, id: number, values: InitializeValues, { done, begin }: Work): Promise<void> {
  const { output, exitWith } = context;
  const { client } = await context.service();
  const { task: active } = await client.getActiveTask({ params: { id } });
  if (values.async === true) {
    const task = active ?? ((await begin()) as Task);
    const message = `Workflow ${id} is being initialized by task ${task.id}`;
    output.record('workflow', { status: 'success', message, ...reportedOf(task) }, message);
    return;
  }
  if (active !== null) {
    const before = await waited(context, active.id, values);
    if (before.status === 'queued' || before.status === 'running') return saySlow(context, before, values);
  }
  const task = await waited(context, ((await begin()) as Task).id, values);
  if (task.status === 'queued' || task.status === 'running') return saySlow(context, task, values);
  if (task.status === 'succeeded')
    return output.record('workflow', { status: 'success', message: done, ...reportedOf(task), error: null }, done);
  const message = `workflow ${id} was not initialized: ${task.error ?? 'the server does not say why'}`;
  output.error(message);
  if (output.format === 'json')
    output.record('workflow', { status: 'error', message, ...reportedOf(task), error: task.error ?? null }, '');
  exitWith(1);
}

async function waited({ service }: Context, taskId: number, values: InitializeValues): Promise<Task> {
  const { waitForTask } = await import('../../../client/wait-for-task.ts');
  const { client, connection } = await service();
  return waitForTask(client, connection.events, taskId, {
    timeoutSeconds: values.waitTimeout,
  });
}

/** The timeout was reached: the server continues, and the result is not known yet. */
function saySlow({ output, exitWith, hint }: Context, task: Task, values: InitializeValues): void {
  const message = `task ${task.id} has not ended within ${String(values.waitTimeout)} s; the server continues with it`;
  output.error(message);
  output.notice(`Wait for it with: ${hint(`torc tasks wait ${task.id}`)}`);
  if (output.format === 'json')
    output.record('workflow', { status: 'error', message, ...reportedOf(task), error: message }, '');
  exitWith(1);
}

const reportedOf = (task: Task) => ({
  workflow_id: task.workflow_id,
  task_id: task.id,
  task_status: task.status,
  task_operation: task.operation,
});

/** Reports whether a workflow could be initialized from the beginning, and changes nothing. */
async function sayReadiness({ service, output, exitWith }: Context, id: number): Promise<void> {
  const { client } = await service();
  const found = readinessOf(await gatherReadyFacts(client, id));
  const { existingOutputs } = found;
  const text = found.isSafe
    ? [`Workflow ${id} can be initialized: every job would run from the beginning.`]
    : [`Workflow ${id} cannot be initialized.`, ...obstacleLines(found)];
  if (existingOutputs.length > 0)
    text.push(`  ${counted(existingOutputs.length, 'output file')} would be overwritten: ${someOf(existingOutputs)}`);
  output.record('readiness', readinessJson(id, found), text.join('\n'));
  if (!found.isSafe) exitWith(1);
}

/** Reports which jobs would run after a reinitialization, and why, and changes nothing. */
async function sayReruns({ service, output, exitWith, hint }: Context, id: number): Promise<void> {
  const { client } = await service();
  const { rerunsText } = await import('../../output/reruns.ts');
  const facts = await gatherPlanFacts(client, id);
  const found = readinessOf(facts);
  const reruns = rerunsOf(facts);
  const text = [
    ...(found.isSafe ? [] : [`Workflow ${id} cannot be initialized.`, ...obstacleLines(found), '']),
    rerunsText(id, reruns, output.width),
  ];
  const jobsJson = (jobs: Reruns['canceled']) =>
    jobs.map((job) => ({ job_id: job.id, job_name: job.name, status: job.status }));
  const json = {
    ...readinessJson(id, found),
    jobs: reruns.run,
    job_count: reruns.run.length,
    canceled_jobs: jobsJson(reruns.canceled),
    failed_jobs: jobsJson(reruns.failed),
  };
  output.record('readiness', json, text.join('\n'));
  if (!found.isSafe) return exitWith(1);
  if (output.format === 'json') return;
  const { knownWorkflow } = await import('../../../client/compat/known.ts');
  const place = placeOf(await knownWorkflow(client, id));
  if (reruns.run.length > 0)
    output.notice(hint(`To run them: torc workflows reinit ${id}, then ${nextCommand(place)}`));
  if (reruns.failed.length > 0)
    output.notice(hint(`To run failed jobs again: ${nextCommand(place, { again: '--retry-failed' })}`));
}

const obstacleLines = ({ missingInputs, missingUserData }: Readiness): string[] => [
  ...missingInputs.map((path) => `  missing input: ${path}`),
  ...missingUserData.map((data) => `  user data ${data} has no value, and no job produces it`),
];

const readinessJson = (id: number, { isSafe, missingInputs, existingOutputs, missingUserData }: Readiness) => ({
  workflow_id: id,
  safe: isSafe,
  missing_input_files: missingInputs,
  missing_input_file_count: missingInputs.length,
  existing_output_files: existingOutputs,
  existing_output_file_count: existingOutputs.length,
  ...(missingUserData.length === 0 ? {} : { missing_user_data: missingUserData }),
});

export const workflowInitialize: readonly Command[] = [init, reinit];
