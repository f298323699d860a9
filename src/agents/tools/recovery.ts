import * as z from 'zod';
import type { Job } from '../../core/contract/job.ts';
import type { RecoveryPolicy } from '../../core/contract/recovery.ts';
import { changeCommands } from '../../operations/jobs/change-commands.ts';
import { failUndecided } from '../../operations/jobs/fail-undecided.ts';
import { changeRequirements } from '../../operations/resources/job-requirements.ts';
import { type Backend, tool } from '../tool.ts';
import { dryRun, factor, jobId, memory, parameters, runtime, workflowIdParameter } from './parameters.ts';

export const recoverWorkflowTool = tool('recover_workflow', {
  says: 'Run failed jobs again after raising what they lacked. With dry_run true it only shows the plan: show it to your user, then call it with dry_run false. Jobs whose command failed stay as they are without retry_unknown. The reply names the command that runs the jobs.',
  effect: 'resets',
  input: parameters({
    workflow_id: workflowIdParameter,
    dry_run: dryRun,
    memory_multiplier: factor.optional(),
    runtime_multiplier: factor.optional(),
    retry_unknown: z.boolean().default(false).describe('also jobs that failed for a reason which may come back'),
  }),
  more: 'torc recover ID --dry-run prints the whole plan',
  async run({ workflow_id: id, dry_run: isDryRun, retry_unknown: retries, ...factors }, backend) {
    const { command, hint, outputDir } = backend;
    if (outputDir === undefined)
      return recoverAtServer(backend, id, { isDryRun, policy: { retry_unknown: retries, ...factors } });
    const { next, ...found } = await command(
      'recover',
      String(id),
      '--no-prompts',
      '--output-dir',
      outputDir,
      ...(isDryRun ? ['--dry-run'] : []),
      ...(retries ? ['--retry-unknown'] : []),
      ...multiplier('--memory-multiplier', factors.memory_multiplier),
      ...multiplier('--runtime-multiplier', factors.runtime_multiplier),
    );
    return typeof next === 'string' ? { ...found, next: hint(next) } : found;
  },
});

interface AtServer {
  readonly isDryRun: boolean;
  readonly policy: RecoveryPolicy;
}

/** The recovery of the server, for callers over HTTP: it refuses a workflow that needs a command on the cluster. */
async function recoverAtServer({ client, hint }: Backend, id: number, { isDryRun, policy }: AtServer) {
  const server = await client();
  const planned = await server.getRecoveryPlan({ params: { id }, query: policy });
  const { next, ...plan } = isDryRun
    ? planned
    : await server.recoverWorkflow({ params: { id }, body: { ...policy, jobs_again: planned.jobs_again } });
  return { dry_run: isDryRun, ...plan, ...(next ? { next: hint(next) } : {}) };
}

const multiplier = (flag: string, value: number | undefined) => (value === undefined ? [] : [flag, String(value)]);

export const changeJobCommands = tool('change_job_commands', {
  says: 'Give jobs of a workflow that does not run other commands. The jobs become uninitialized; recover_workflow makes them ready.',
  effect: 'resets',
  input: parameters({
    workflow_id: workflowIdParameter,
    changes: z.array(parameters({ job_id: jobId, command: z.string().min(1) })).min(1),
    dry_run: dryRun,
  }),
  more: 'get_job_details shows a job',
  async run({ workflow_id: id, changes: given, dry_run: isDryRun }, { client, hint }) {
    const commands = given.map(({ job_id: job, command }) => ({ jobId: job, command }));
    const { changes, failures } = await changeCommands(await client(), id, commands, isDryRun);
    return {
      workflow_id: id,
      dry_run: isDryRun,
      changes: changes.map(({ job, command }) => ({
        job_id: job.id,
        name: job.name,
        before: job.command,
        after: command,
      })),
      failures,
      ...(isDryRun ? {} : { next: hint(`torc recover ${id}`) }),
    };
  },
});

const classification = parameters({
  job_id: jobId,
  action: z.enum(['retry', 'fail']),
  memory: memory.optional(),
  runtime: runtime.optional(),
  reason: z.string().optional(),
});

export const classifyAndResolveFailures = tool('classify_and_resolve_failures', {
  says: 'Decide about jobs that wait for a decision (pending_failed): retry runs a job again, with more memory or time if given; fail makes it failed.',
  effect: 'resets',
  // A retry looks at the input files of the jobs.
  needsMachine: true,
  input: parameters({
    workflow_id: workflowIdParameter,
    classifications: z.array(classification).min(1),
    dry_run: dryRun,
  }),
  more: 'list_pending_failed_jobs lists the jobs that are left',
  async run({ workflow_id: id, classifications, dry_run: isDryRun }, backend) {
    const client = await backend.client();
    const jobs = await Promise.all(classifications.map((each) => client.getJob({ params: { id: each.job_id } })));
    const other = jobs.find((job) => job.workflow_id !== id || job.status !== 'pending_failed');
    if (other !== undefined)
      throw new Error(
        `job ${other.id} (${other.name}) is ${other.status} in workflow ${other.workflow_id}; expected a job of workflow ${id} that is pending_failed. Nothing was changed.`,
      );
    const plan = { workflow_id: id, dry_run: isDryRun, classifications };
    if (isDryRun) return plan;
    for (const [index, { action, memory: more, runtime: time, reason }] of classifications.entries()) {
      const fields = {
        ...(more === undefined ? {} : { memory: more }),
        ...(time === undefined ? {} : { runtime: time }),
      };
      if (action === 'retry' && Object.keys(fields).length > 0)
        await changeRequirements(client, jobs[index] as Job, fields);
      if (action === 'fail') await failUndecided(client, jobs[index] as Job, reason);
    }
    const retried = classifications.filter(({ action }) => action === 'retry').map(({ job_id: job }) => job);
    return { ...plan, ...(await retry(retried, backend)) };
  },
});

/** Only these jobs are made ready: the others wait for their own decision. */
async function retry(jobIds: readonly number[], { command }: Backend) {
  if (jobIds.length === 0) return {};
  return { reset: await command('jobs', 'reset-status', ...jobIds.map(String), '--reinit', '--no-prompts') };
}
