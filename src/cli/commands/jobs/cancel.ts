import type { CanceledJobs } from '../../../core/contract/cancel-jobs.ts';
import { CANCELABLE } from '../../../core/job/statuses.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { cancelJobs, notEnded } from '../../../operations/jobs/cancel-jobs.ts';
import { type SelectedJobs, selectJobs } from '../../../operations/jobs/reset-jobs.ts';
import { agrees, noPrompts } from '../../choose/agree.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../command/failure.ts';
import {
  chooseJobs,
  chosenJob,
  chosenLine,
  dryRunOption,
  sayNoneChosen,
  selectionOf,
  statusesOption,
} from './selection.ts';
import { option } from '../../command/option.ts';

interface Values {
  readonly status?: readonly string[] | undefined;
  readonly match?: string | undefined;
  readonly workflowId?: string | undefined;
}

export const jobsCancel = command('jobs cancel [job...]', {
  says: 'Cancel jobs that wait or run; the rest of the workflow goes on.',
  example: '--workflow-id 1 --match ^sample_7',
  more: 'Which jobs: by their ids or names, or by --status and --match. A job that runs gets the termination signal of its workflow, and SIGKILL after the lead time. Jobs that depend on a canceled one are canceled too, unless they have cancel_on_blocking_job_failure: false. torc jobs reset-status starts canceled jobs again.',
  options: [
    statusesOption,
    option('--match <regex>', 'jobs whose name matches this regular expression (of JavaScript)'),
    option(
      '-w, --workflow-id <workflow>',
      'workflow, by id or name; required with --status and --match, and if several workflows have a job with this name',
    ),
    dryRunOption,
    noPrompts,
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('cancel');
    const selected = await selectedJobs(context, given ?? [], options);
    const { workflowId, jobs } = selected;
    if (jobs.length === 0) return sayNone(context, workflowId);
    if (options.dryRun === true) return sayPlan(context, selected);
    const question = `Cancel ${counted(jobs.length, 'job')} of workflow ${workflowId}?`;
    const isNamed = given !== undefined && given.length > 0;
    if (!isNamed && !(await agrees(context, options, { question, otherwise: 'Nothing was canceled.' })))
      return context.exitWith(1);
    const { client } = await context.service();
    report(context, selected, await cancelJobs(client, selected));
  },
});

/** Jobs that a rule selects are only those that have not ended; a job that is named and has ended is refused by the server. */
async function selectedJobs(context: Context, given: readonly string[], options: Values): Promise<SelectedJobs> {
  const { status, match, workflowId } = options;
  if (given.length > 0 && match !== undefined)
    throw new UsageError('name the jobs by their ids or names, or by --status and --match: not both');
  if (given.length > 0 || (status !== undefined && match === undefined)) {
    const selected = await chooseJobs(context, selectionOf(given, { status, workflowId }));
    return given.length > 0 ? selected : notEnded(selected, undefined);
  }
  if (match === undefined) throw new UsageError('name the jobs by their ids or names, or by --status and --match');
  if (workflowId === undefined) throw new UsageError('--status and --match need --workflow-id');
  const pattern = patternOf(match);
  if (status !== undefined)
    return notEnded(await chooseJobs(context, selectionOf([], { status, workflowId })), pattern);
  const { client } = await context.service();
  const every = {
    by: 'status',
    workflowId: await chooseWorkflow(context, workflowId),
    statuses: [...CANCELABLE],
  } as const;
  return notEnded(await selectJobs(client, every), pattern);
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw new UsageError(`--match: ${(error as Error).message}`);
  }
}

function sayNone(context: Context, workflowId: number): void {
  const error = `no jobs of workflow ${workflowId} that wait or run match; nothing was canceled`;
  const nothing = { canceled_job_ids: [], ending_job_ids: [], dependent_job_ids: [], refused: [] };
  sayNoneChosen(context, { kind: 'cancel', workflowId, error, nothing });
}

function sayPlan({ output }: Context, { workflowId, jobs }: SelectedJobs): void {
  output.record(
    'cancel',
    { dry_run: true, workflow_id: workflowId, jobs: jobs.map(chosenJob) },
    [`Would cancel ${counted(jobs.length, 'job')} of workflow ${workflowId}:`, ...jobs.map(chosenLine)].join('\n'),
  );
}

function report({ output, exitWith, hint }: Context, { workflowId, jobs }: SelectedJobs, done: CanceledJobs): void {
  const { canceled_job_ids: canceled, ending_job_ids: ending, dependent_job_ids: dependents, refused } = done;
  const names = new Map(jobs.map(({ id, name }) => [id, name]));
  for (const { job_id: id, message } of refused)
    output.error(`job ${id}${names.has(id) ? ` (${names.get(id)})` : ''} was not canceled: ${message}`);
  const status = refused.length === 0 ? 'success' : 'partial_failure';
  const lines = [
    ...(canceled.length === 0 ? [] : [`Canceled ${counted(canceled.length, 'job')} of workflow ${workflowId}`]),
    ...(dependents.length === 0
      ? []
      : [
          `and ${counted(dependents.length, 'job that depends', 'jobs that depend')} on ${canceled.length === 1 ? 'it' : 'them'}`,
        ]),
    ...(ending.length === 0
      ? []
      : [
          `${counted(ending.length, 'job is', 'jobs are')} being ended by the runner, with the termination signal of the workflow`,
        ]),
  ];
  output.record('cancel', { status, workflow_id: workflowId, ...done }, lines.join('\n'));
  if (canceled.length > 0 && output.format !== 'json')
    output.notice(
      `To start again: ${hint(`torc jobs reset-status ${canceled.slice(0, 3).join(' ')}${canceled.length > 3 ? ' …' : ''} --reinit`)}`,
    );
  if (refused.length > 0) exitWith(1);
}
