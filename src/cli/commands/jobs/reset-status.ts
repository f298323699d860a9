import type { Job } from '../../../core/contract/job.ts';
import { agrees, noPrompts } from '../../choose/agree.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { reportPreparation } from '../../output/preparation.ts';
import { nextCommand, type RunPlace } from '../../../core/lifecycle/explain/next-command.ts';
import { reinitialize } from '../../../operations/run/initialize.ts';
import { knownWorkflow } from '../../../client/compat/known.ts';
import { placeOf } from '../../../core/lifecycle/explain/place.ts';
import { option } from '../../command/option.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import {
  downstreamJobs,
  refuseBusy,
  type ResetJobs,
  resetJobs,
  type SelectedJobs,
} from '../../../operations/jobs/reset-jobs.ts';
import {
  chooseJobs,
  chosenJob,
  chosenLine,
  dryRunOption,
  returnCodeOption,
  sayNoneChosen,
  selectionOf,
  statusesOption,
} from './selection.ts';

export const jobsResetStatus = command('jobs reset-status [job...]', {
  says: 'Make jobs uninitialized; a reinit then makes them and everything downstream ready again.',
  example: '--workflow-id 1 --status failed --reinit',
  more: 'Which jobs: by their ids or names, by --status or by --return-code.',
  options: [
    statusesOption,
    returnCodeOption,
    option(
      '-w, --workflow-id <workflow>',
      'workflow, by id or name; required with --status and --return-code, and if several workflows have a job with this name',
    ),
    option('--force', 'even while runners or allocations are active or jobs run'),
    dryRunOption,
    option('--reinit', 'and make ready what changed at once, as workflows reinit does'),
    option('--reinitialize', 'the same as --reinit', { isHidden: true }),
    noPrompts,
  ],
  async run(context, [given], { reinitialize: alsoReinit, ...values }) {
    const { output } = context;
    const options = { ...values, reinit: values.reinit === true || alsoReinit === true };
    output.recordOnly('reset-status');
    const selection = selectionOf(given ?? [], options);
    const { client } = await context.service();
    const selected = await chooseJobs(context, selection);
    const { workflowId, jobs } = selected;
    if (jobs.length === 0) return sayNone(context, workflowId);
    const downstream = await downstreamJobs(client, selected);
    if (options.dryRun === true) return sayPlan(context, options, selected, downstream);

    if (options.force !== true) await refuseBusy(client, workflowId);
    const completed = jobs.filter(({ status }) => status === 'completed');
    if (completed.length > 0) output.warn(`${namesOf(completed)} completed successfully and will run again`);
    const question = `Reset ${counted(jobs.length, 'job')} of workflow ${workflowId}?`;
    if (!(await agrees(context, options, { question, otherwise: 'Nothing was reset.', isNeeded: true }))) return;

    const done = await resetJobs(client, selected);
    const reinit = await reinitialized(context, workflowId, options);
    report(context, selected, downstream, { ...done, reinit, place: placeOf(await knownWorkflow(client, workflowId)) });
  },
});

function sayNone(context: Context, workflowId: number): void {
  const error = `no jobs of workflow ${workflowId} match; nothing was reset`;
  const nothing = { reset_count: 0, reset_job_ids: [] };
  sayNoneChosen(context, { kind: 'reset-status', workflowId, error, nothing });
}

function sayPlan(
  { output }: Context,
  options: { readonly reinit?: boolean | undefined; readonly force?: boolean | undefined },
  { workflowId, jobs }: SelectedJobs,
  downstream: readonly Job[],
): void {
  output.record(
    'reset-status',
    {
      dry_run: true,
      reinit_requested: options.reinit === true,
      workflow_id: workflowId,
      jobs: jobs.map(chosenJob),
      downstream_jobs: downstream.map(chosenJob),
    },
    [
      `Would reset ${counted(jobs.length, 'job')} of workflow ${workflowId}:`,
      ...jobs.map(chosenLine),
      ...(downstream.length === 0 ? [] : ['A reinit would then run again downstream:', ...downstream.map(chosenLine)]),
    ].join('\n'),
  );
}

interface ReinitValues {
  readonly reinit?: boolean | undefined;
  readonly force?: boolean | undefined;
}

interface Reinit {
  readonly requested: boolean;
  readonly applied: boolean;
  readonly error: string | null;
}

async function reinitialized({ service, output }: Context, workflowId: number, options: ReinitValues): Promise<Reinit> {
  if (options.reinit !== true) return { requested: false, applied: false, error: null };
  const { client } = await service();
  try {
    // Only the chosen jobs are decided about: an initialization of Torc would make all undecided jobs ready.
    const force = options.force === true;
    await reinitialize(client, workflowId, { force, report: reportPreparation(output), keepsUndecided: true });
    return { requested: true, applied: true, error: null };
  } catch (error) {
    return { requested: true, applied: false, error: (error as Error).message };
  }
}

interface Outcome extends ResetJobs {
  readonly reinit: Reinit;
  readonly place: RunPlace;
}

function report(
  { output, exitWith, hint }: Context,
  { workflowId, jobs }: SelectedJobs,
  downstream: readonly Job[],
  { reset, failures, reinit, place }: Outcome,
): void {
  const next = [...(reinit.applied ? [] : [`torc workflows reinit ${workflowId}`]), nextCommand(place)].map((each) =>
    hint(each),
  );
  const message = `Reset ${counted(reset.length, 'job')} of workflow ${workflowId}`;
  for (const { job_id: id, error } of failures) output.error(`job ${id}: ${error}`);
  if (reinit.error !== null) output.error(`the jobs were reset, but not made ready: ${reinit.error}`);
  output.record(
    'reset-status',
    {
      status: failures.length === 0 && reinit.error === null ? 'success' : 'partial_failure',
      workflow_id: workflowId,
      reset_count: reset.length,
      requested_job_ids: jobs.map(({ id }) => id),
      reset_job_ids: reset,
      downstream_jobs: downstream.map(chosenJob),
      failures,
      next_steps: next,
      reinit,
    },
    [message, ...(reinit.applied ? ['Reinitialized the workflow'] : [])].join('\n'),
  );
  if (output.format !== 'json') output.notice(`Next: ${next.join(', then ')}`);
  if (failures.length > 0 || reinit.error !== null) exitWith(1);
}

/** `job 3 (first)` for the first few, and how many more. */
function namesOf(jobs: readonly Job[]): string {
  const shown = jobs.slice(0, 5).map(({ id, name }) => `job ${id} (${name})`);
  return jobs.length > 5 ? `${shown.join(', ')} and ${jobs.length - 5} more` : shown.join(', ');
}
