import type { Client } from '../../../client/client.ts';
import type { Job } from '../../../core/contract/job.ts';
import { agrees, noPrompts } from '../../agree.ts';
import type { Command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { tellPreparation } from '../../output/preparation.ts';
import { reinitialize } from '../../../operations/initialize.ts';
import { integer, type Values } from '../../option.ts';
import type { Output } from '../../output/output.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { downstreamJobs, selectionOf, selectJobs, type Selected } from './selection.ts';

/** Concurrent requests: the server writes those that arrive together in one transaction. */
const TOGETHER = 32;

export const jobsResetStatus: Command = {
  words: 'jobs reset-status [job...]',
  says: 'Make jobs uninitialized; a reinit then makes them and everything downstream ready again.',
  more: 'Which jobs: by their ids or names, by --status or by --return-code.',
  options: [
    {
      flags: '--status <statuses>',
      says: 'jobs with one of these statuses; may be repeated or separated by commas',
      many: true,
    },
    { flags: '--return-code <n>', says: 'jobs whose result has this return code', read: integer('--return-code') },
    {
      flags: '-w, --workflow-id <workflow>',
      says: 'workflow, by id or name; required with --status and --return-code, and if several workflows have a job with this name',
    },
    { flags: '--force', says: 'even while runners or allocations are active or jobs run' },
    { flags: '--dry-run', says: 'only show which jobs, and change nothing' },
    { flags: '--reinit', says: 'and make ready what changed at once, as workflows reinit does' },
    noPrompts,
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('reset-status');
    const selection = selectionOf((given as readonly string[] | undefined) ?? [], options);
    const { client } = await context.service();
    const selected = await selectJobs(context, selection);
    const { workflowId, jobs } = selected;
    if (jobs.length === 0) return sayNone(context, workflowId);
    const downstream = await downstreamJobs(client, selected);
    if (options['dryRun'] === true) return sayPlan(context, options, selected, downstream);

    if (options['force'] !== true) await refuseBusy(client, workflowId);
    const done = jobs.filter(({ status }) => status === 'completed');
    if (done.length > 0) output.warn(`${namesOf(done)} completed successfully and will run again`);
    const question = `Reset ${counted(jobs.length, 'job')} of workflow ${workflowId}?`;
    if (!(await agrees(context, options, { question, otherwise: 'Nothing was reset.' }))) return;

    const { reset, failures } = await resetAll(client, selected);
    const reinit = await reinitialized({ client, output }, workflowId, options);
    report(context, selected, downstream, { reset, failures, reinit });
  },
};

function sayNone({ output, exitWith }: Context, workflowId: number): void {
  const error = `no jobs of workflow ${workflowId} match; nothing was reset`;
  output.error(error);
  if (output.format === 'json') {
    const nothing = { status: 'error', workflow_id: workflowId, reset_count: 0, reset_job_ids: [], error };
    output.record('reset-status', nothing, '');
  }
  exitWith(1);
}

function sayPlan(
  { output }: Context,
  options: Values,
  { workflowId, jobs }: Selected,
  downstream: readonly Job[],
): void {
  output.record(
    'reset-status',
    {
      dry_run: true,
      reinit_requested: options['reinit'] === true,
      workflow_id: workflowId,
      jobs: jobs.map(told),
      downstream_jobs: downstream.map(told),
    },
    [
      `Would reset ${counted(jobs.length, 'job')} of workflow ${workflowId}:`,
      ...jobs.map(line),
      ...(downstream.length === 0 ? [] : ['A reinit would then run again downstream:', ...downstream.map(line)]),
    ].join('\n'),
  );
}

async function refuseBusy(client: Client, workflowId: number): Promise<void> {
  const found = await client.getWorkflowStatus({ params: { id: workflowId } });
  const { running, pending } = found.jobs_by_status;
  const allocations = found.pending_scheduled_nodes + found.active_scheduled_nodes;
  const busy = [
    ...(running + pending > 0
      ? [counted(running + pending, 'job runs or is about to', 'jobs run or are about to')]
      : []),
    ...(found.active_compute_nodes > 0
      ? [counted(found.active_compute_nodes, 'runner is', 'runners are') + ' active']
      : []),
    ...(allocations > 0 ? [counted(allocations, 'allocation is', 'allocations are') + ' pending or active'] : []),
  ];
  if (busy.length === 0) return;
  throw new Failure(
    `workflow ${workflowId} is busy: ${busy.join(', ')}; nothing was reset. Wait, cancel the workflow, or use --force`,
  );
}

interface FailedReset {
  readonly job_id: number;
  readonly error: string;
}

async function resetAll(
  client: Client,
  { workflowId, jobs }: Selected,
): Promise<{ reset: readonly number[]; failures: readonly FailedReset[] }> {
  const { run_id: runId } = await client.getWorkflow({ params: { id: workflowId } });
  const reset: number[] = [];
  const failures: FailedReset[] = [];
  const one = async (id: number) => {
    try {
      await client.manageStatusChange({ params: { id, status: 'uninitialized', run_id: runId ?? 0 } });
      reset.push(id);
    } catch (error) {
      failures.push({ job_id: id, error: (error as Error).message });
    }
  };
  for (let at = 0; at < jobs.length; at += TOGETHER)
    await Promise.all(jobs.slice(at, at + TOGETHER).map(({ id }) => one(id as number)));
  return { reset: reset.sort((a, b) => a - b), failures: failures.sort((a, b) => a.job_id - b.job_id) };
}

interface Reinit {
  readonly requested: boolean;
  readonly applied: boolean;
  readonly error: string | null;
}

async function reinitialized(
  { client, output }: { client: Client; output: Output },
  workflowId: number,
  options: Values,
): Promise<Reinit> {
  if (options['reinit'] !== true) return { requested: false, applied: false, error: null };
  try {
    await reinitialize(client, workflowId, { force: options['force'] === true, tell: tellPreparation(output) });
    return { requested: true, applied: true, error: null };
  } catch (error) {
    return { requested: true, applied: false, error: (error as Error).message };
  }
}

interface Outcome {
  readonly reset: readonly number[];
  readonly failures: readonly FailedReset[];
  readonly reinit: Reinit;
}

function report(
  { output, exitWith, hint }: Context,
  { workflowId, jobs }: Selected,
  downstream: readonly Job[],
  { reset, failures, reinit }: Outcome,
): void {
  const next = [...(reinit.applied ? [] : [`torc workflows reinit ${workflowId}`]), `torc run ${workflowId}`].map(
    (each) => hint(each),
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
      downstream_jobs: downstream.map(told),
      failures,
      next_steps: next,
      reinit,
    },
    [message, ...(reinit.applied ? ['Reinitialized the workflow'] : [])].join('\n'),
  );
  if (output.format !== 'json') output.notice(`Next: ${next.join(', then ')}`);
  if (failures.length > 0 || reinit.error !== null) exitWith(1);
}

const told = ({ id, name, status }: Job) => ({ job_id: id, name, status });
const line = ({ id, name, status }: Job) => `  ${id} ${name} (${status})`;

/** `job 3 (first)` for the first few, and how many more. */
function namesOf(jobs: readonly Job[]): string {
  const shown = jobs.slice(0, 5).map(({ id, name }) => `job ${id} (${name})`);
  return jobs.length > 5 ? `${shown.join(', ')} and ${jobs.length - 5} more` : shown.join(', ');
}
