import { hostname } from 'node:os';
import { join } from 'node:path';
import { pause } from '../../../client/long-timers.ts';
import { openBatch } from '../../../cluster/open-batch.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { outcomeRecord } from '../../../core/lifecycle/explain/outcome.ts';
import { ALWAYS_COUNTED, isOneOf } from '../../../core/job/statuses.ts';
import { unclaimableWords } from '../../../core/lifecycle/placement/unclaimable.ts';
import { completeCauses } from '../../../operations/orphans/complete-causes.ts';
import { correctRecords } from '../../../operations/orphans/correct-records.ts';
import { knownWorkflow } from '../../../client/compat/known.ts';
import { placeOf } from '../../../core/lifecycle/explain/place.ts';
import { queuedAllocations } from '../../../operations/submit/queued-allocations.ts';
import { isLeaseTaken } from '../../../operations/submit/recovery-lease.ts';
import { wasSubmitting } from '../../../core/lifecycle/recover/recovery-note.ts';
import { badEndsOf } from '../../../core/lifecycle/recover/recovery-plan.ts';
import { gatherRecovery, gatherStanding } from '../../../operations/recover/facts.ts';
import { cancelUnneeded } from '../../../operations/submit/cancel-unneeded.ts';
import { unfinishedAllocations } from '../../../operations/submit/finish-submissions.ts';
import { replaceLost } from '../../../operations/submit/replace-lost.ts';
import { hasStartedIn } from '../../../operations/watch/started-in.ts';
import { unbegunAllocations, unbegunLines } from '../../../operations/submit/unbegun-allocations.ts';
import { unrunnableJobs } from '../../../operations/submit/unrunnable.ts';
import { nextLines } from '../../../operations/report/views/next-lines.ts';
import { recoverOnce, scheduleOnce, submitHeldBack } from '../../../operations/watch/act.ts';
import { watchQueue } from '../../../operations/watch/queue.ts';
import { isUnderWay } from '../../../operations/watch/counts.ts';
import { watchWorkflow } from '../../../operations/watch/watch.ts';
import { openRunnerLog } from '../../../runner/facts/log.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import type { ValuesOf } from '../../command/option.ts';
import { beginMessages } from '../../notify/begin.ts';
import { badEndLines } from '../../recovery/recovered.ts';
import { recoverOptionsOf, recoverTools } from '../../recovery/recover-tools.ts';
import type { watchOptions } from './watch-options.ts';

type Given = ValuesOf<typeof watchOptions>;

/** `torc watch`: watches a workflow until it ends, and recovers it where that was asked for. */
export async function watchUntilEnd(context: Context, [given]: [string], options: Given): Promise<void> {
  const { output } = context;
  output.recordOnly('watch');
  const { id, client } = await openWorkflow(context, given);
  const rows = await client.listScheduledComputeNodes({ query: { workflow_id: id, limit: 1 } });
  const isAllocated = rows.items.length > 0;
  const needsAllocations =
    options.recover === true || placeOf(await knownWorkflow(client, id)).runsIn === 'allocations';
  const needsNone = async () =>
    options.recover !== true && isUnderWay(await client.getWorkflowStatus({ params: { id } }));
  if (!isAllocated && needsAllocations && options.persistent !== true && !(await needsNone())) {
    output.error(
      `No scheduled compute nodes found for workflow ${id}: torc submit ${id} submits some; --persistent watches without`,
    );
    context.exitWith(1);
    return;
  }
  const slurm = openBatch(context.environment);
  const recovery = await recoverTools(context, id, options);
  const path = join(options.outputDir, `watch_${hostname()}_wf${id}.log`);
  const log = openRunnerLog(path, 'info', Date.now, () => {});
  let counts = '';
  let reportedUnsubmitted: string | undefined;
  /** A controller that is away is asked again at the next look. */
  const cancelSurplus = async () => {
    const canceled = await cancelUnneeded(client, slurm, id).catch(() => []);
    if (canceled.length > 0)
      report(
        'info',
        `Canceled ${canceled.length} queued allocation(s), in which no job is left to run: ${canceled.join(', ')}`,
      );
  };
  const report = (level: 'info' | 'warn' | 'error', words: string) => {
    log.write(level, words, { workflow_id: id });
    if (level === 'info') output.notice(words);
    else output[level](words);
  };
  const lookAtQueue = watchQueue({ batch: slurm, recovers: options.recover === true, report });
  report('info', watchingLine(id, options));
  const endMessages = await beginMessages(context, { client, workflowId: id, given: options.notify });
  try {
    const exitCode = await watchWorkflow(
      {
        async status() {
          // What a limit held back follows as others leave the queue.
          const words = await submitHeldBack(recovery, id).then(
            () => undefined,
            (error: Error) => error.message,
          );
          if (words !== undefined && words !== reportedUnsubmitted)
            report('warn', `Planned allocations could not be submitted: ${words}`);
          reportedUnsubmitted = words;
          return client.getWorkflowStatus({ params: { id } });
        },
        async clean() {
          const { cleaned } = await correctRecords(recovery, id);
          for (const { job_id: job, job_name: name, reason } of cleaned.failed)
            report('warn', `Job ${job} (${name}) failed: ${reason}`);
          for (const warning of cleaned.warnings) log.write('warn', warning, { workflow_id: id });
          await cancelSurplus();
          await lookAtQueue(
            await queuedAllocations((await knownWorkflow(client, id)).allocations, context.environment),
          );
          const jobs = cleaned.failed.length + cleaned.finishedWorkKept + cleaned.jobsRequeued;
          return { jobs, lost: cleaned.lost, replies: cleaned.replies };
        },
        replace: (lost) =>
          replaceLost(
            client,
            id,
            lost.map(({ recordId }) => recordId),
          ),
        async recover(decide) {
          const done = await recoverOnce(recovery, { workflowId: id, options: recoverOptionsOf(options), decide });
          return done && { ...done, next: done.next && context.hint(done.next) };
        },
        async isUnfinished() {
          const { known, note } = await gatherStanding(client, id);
          return wasSubmitting(note, known.workflow.run_id ?? 0);
        },
        schedule: () => scheduleOnce(recovery, id),
        async begun(allocations) {
          const states = await slurm.statesOf(allocations);
          return allocations.filter((job) => (states.get(job)?.seconds ?? 0) > 0).length;
        },
        hasStarted: (allocations) => hasStartedIn(client, id, allocations),
        unbegun: async () => unbegunLines(await unbegunAllocations(client, id, recovery).catch(() => [])),
        unrunnable: async () => (await unrunnableJobs(client, id))?.reasons.map(unclaimableWords) ?? [],
        async extraJobs() {
          const query = { workflow_id: id, status: 'ready' as const, origin_is_set: true, labels: '', limit: 1000 };
          return (await client.listJobs({ query })).items.length;
        },
        async causes() {
          // Slurm takes seconds to say how it ended an allocation that has just ended.
          await completeCauses(client, id, { slurm, nowMs: Date.now, mostLooks: 5 });
          return badEndLines(badEndsOf(await gatherRecovery(client, id, true)));
        },
        isToCome: async () => (await unfinishedAllocations(client, id)).length > 0 || isLeaseTaken(client, id, 'watch'),
        wait: (mostMs = Number.POSITIVE_INFINITY) => pause(Math.min(options.pollInterval * 1000, mostMs)),
        nowMs: () => performance.now(),
        report,
        showCounts(status) {
          const text = countsText(id, status);
          if (text !== counts) log.write('info', text);
          if (text !== counts && options.showJobCounts === true) output.notice(text);
          counts = text;
        },
      },
      {
        recovers: options.recover === true,
        maxRetries: options.maxRetries,
        maxFruitless: options.maxFruitless,
        isPersistent: options.persistent === true,
        asksAgent: options.aiRecovery === true,
        autoSchedule:
          options.autoSchedule === true
            ? {
                threshold: options.autoScheduleThreshold,
                cooldownMs: options.autoScheduleCooldown * 1000,
                strandedMs: options.autoScheduleStrandedTimeout * 1000,
              }
            : undefined,
      },
    );
    const status = await client.getWorkflowStatus({ params: { id } });
    if (exitCode !== 0 && options.recover !== true) {
      const place = placeOf(await knownWorkflow(client, id));
      for (const line of nextLines(
        { status, runners: { live: status.active_compute_nodes, lost: [] }, place },
        context.hint,
      ))
        output.notice(line);
    }
    const { jobs_by_status: jobs } = status;
    if (output.format === 'json')
      output.json({ workflow_id: id, exit_code: exitCode, jobs_by_status: jobs, jobs_by_outcome: outcomeRecord(jobs) });
    context.exitWith(exitCode);
  } finally {
    await endMessages();
    log.close();
  }
}

interface Watching {
  readonly pollInterval: number;
  readonly recover?: boolean | undefined;
  readonly maxRetries: number | undefined;
  readonly showJobCounts?: boolean | undefined;
}

/** The first line, as Torc 1.0.0 has it. */
function watchingLine(id: number, { pollInterval, recover, maxRetries, showJobCounts }: Watching): string {
  const parts = [
    `poll interval: ${pollInterval}s`,
    ...(recover === true
      ? ['recover enabled', maxRetries === undefined ? 'unlimited retries' : `max retries: ${maxRetries}`]
      : []),
    ...(showJobCounts === true ? ['job counts enabled'] : []),
  ];
  return `Watching workflow ${id} (${parts.join(', ')})`;
}

/** Those that Torc 1.0.0 prints, and the others where they are not 0. */
function countsText(id: number, { jobs_by_status: jobs }: WorkflowStatus): string {
  const others = Object.entries(jobs).filter(([status, count]) => count > 0 && !isOneOf(ALWAYS_COUNTED, status));
  const counts = [...[...ALWAYS_COUNTED].map((status) => [status, jobs[status]] as const), ...others];
  return `Job counts workflow_id=${id} ${counts.map(([status, count]) => `${status}=${count}`).join(' ')}`;
}
