import { counted } from '../../core/quantity/count-text.ts';
import type { CheckedResources } from '../../operations/check-resources.ts';
import type { Cleaned } from '../../operations/orphans/clean.ts';
import type { Recovered, RecoverOptions } from '../recovery.ts';
import { noPrompts } from '../agree.ts';
import { chooseWorkflow } from '../choose-workflow.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { recoveryOptions } from '../recovery-options.ts';

export const recover = command({
  words: 'recover <workflow>',
  says: 'Recover a workflow after failures: find out why jobs failed, raise what they lacked, and run them again.',
  more:
    'Corrects the records of what ended without a report, names the cause of each failure, raises memory, CPUs and runtime of jobs that had too ' +
    'little, resets the jobs that may succeed now, and submits allocations for all that waits. Jobs whose command failed stay as they ' +
    'are unless --retry-unknown is given. On a terminal it asks before it changes something.',
  options: [...recoveryOptions, { flags: '--dry-run', says: 'only show the whole plan' }, noPrompts],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('recover');
    const id = await chooseWorkflow(context, given);
    const { underLease } = await import('../../operations/recovery-lease.ts');
    const { Refusal } = await import('../../core/contract/refusals.ts');
    const { client } = await context.service();
    const isDryRun = options.dryRun === true;
    const wishes: RecoverOptions = {
      ...options,
      retriesUnknown: options.retryUnknown === true || options.recoveryHook !== undefined,
      aiRecovery: options.aiRecovery === true,
    };
    try {
      if (isDryRun) await dryRun(context, id, wishes);
      else
        await underLease(client, { workflowId: id, command: 'recover' }, () =>
          recoverHere(context, id, wishes, options.prompts !== false && output.format !== 'json'),
        );
    } catch (error) {
      if (output.format !== 'json' || !(error instanceof Refusal)) throw error;
      output.jsonLine({ workflow_id: id, dry_run: isDryRun, error: error.message });
      context.exitWith(1);
    }
  },
});

async function dryRun(context: Context, id: number, wishes: RecoverOptions): Promise<void> {
  const { diagnosed, hasWork, plannedAllocations } = await import('../recovery.ts');
  const { planLines } = await import('../output/recovered.ts');
  const { cleanedText } = await import('../output/cleaned.ts');
  const { client } = await context.service();
  const { unfinishedAllocations } = await import('../../operations/slurm/finish-submissions.ts');
  const unsubmitted = (await unfinishedAllocations(client, id)).length;
  if (unsubmitted > 0) {
    const what = `Would complete an interrupted submission first: ${counted(unsubmitted, 'allocation')}`;
    context.output.record('recover', { workflow_id: id, dry_run: true, unsubmitted_allocations: unsubmitted }, what);
    return;
  }
  const found = await diagnosed(context, id, wishes, true);
  const planned =
    found.kind === 'slurm' && hasWork(found.recovery)
      ? await plannedAllocations(context, id, found.recovery, wishes)
      : undefined;
  const { siteOf, regeneratedJson, regeneratedText } = await import('../regenerate.ts');
  const site =
    planned === undefined
      ? undefined
      : await siteOf(context, id, {
          ...wishes,
          groupBy: 'partition',
          walltimeStrategy: 'max-job-runtime',
          walltimeMultiplier: 1.5,
        });
  const about = site && { workflowId: id, isDryRun: true, submits: true, profile: site.profile };
  const json = await reportJson(context, id, {
    done: { ...found, reset: 0, regenerated: undefined },
    wishes,
    diagnosis: await usesOf(context, id),
    isDryRun: true,
  });
  const slurm = planned && about ? regeneratedJson(planned, about) : undefined;
  context.output.record(
    'recover',
    slurm === undefined ? json : { ...json, result: { ...json.result, slurm_dry_run: slurm } },
    [
      ...(hasCleaned(found.cleaned) || found.lostRunners > 0
        ? [cleanedText(found.cleaned, found.lostRunners, true)]
        : []),
      ...planLines(id, found.recovery, false),
      ...(planned && about ? [regeneratedText(planned, about)] : []),
      await nextLine(context, id, found, hasWork(found.recovery)),
      ...(await endLines(context, id, { ...found, reset: found.recovery.plan.retried.length }, true)),
      'Nothing was changed (dry run).',
    ].join('\n'),
  );
}

async function recoverHere(context: Context, id: number, given: RecoverOptions, asks: boolean): Promise<void> {
  const { output } = context;
  const { carryOut, diagnosed, hasWork } = await import('../recovery.ts');
  const { planLines } = await import('../output/recovered.ts');
  const { cleanedText } = await import('../output/cleaned.ts');
  const first = await diagnosed(context, id, given, false);
  if (hasCleaned(first.cleaned) || first.lostRunners > 0)
    output.notice(cleanedText(first.cleaned, first.lostRunners, false));
  let wishes = given;
  let found = first;
  const completed = first.completed.length === 0 ? [] : [completedLine(first.completed.length)];
  if (asks && !first.isOnlyCompleted) {
    output.notice(planLines(id, first.recovery, false).join('\n'));
    const chosen = await askWishes(context, given, first);
    if (chosen === undefined) {
      output.notice('Nothing was reset. --no-prompts recovers without asking.');
      return;
    }
    wishes = chosen;
    const { planOf } = await import('../../operations/recover/recover.ts');
    const { client } = await context.service();
    const { waiting, uninitialized, isContinued } = first.recovery;
    const standing = { waiting, uninitialized, isContinued };
    const recovery = await planOf(client, id, { ...wishes, ...standing, orphaned: [] });
    found = { ...first, recovery };
  }
  const diagnosis = await usesOf(context, id);
  const done = await carryOut(context, id, found, wishes);
  const json = await reportJson(context, id, { done, wishes, diagnosis, isDryRun: false });
  const failure = await failureOf(done);
  output.record(
    'recover',
    failure === undefined ? json : { ...json, error: failure },
    [
      ...completed,
      ...(done.isOnlyCompleted ? [] : planLines(id, done.recovery, true)),
      ...(done.regenerated === undefined
        ? []
        : [`Submitted ${counted(done.regenerated.submitted.length, 'allocation')}`]),
      await nextLine(context, id, done, done.isOnlyCompleted || hasWork(done.recovery)),
      ...(failure === undefined && !done.isOnlyCompleted ? await endLines(context, id, done, false) : []),
    ].join('\n'),
  );
  if (failure === undefined) return;
  output.error(`Recovery failed: ${failure}`);
  context.exitWith(1);
}

/** Why nothing was recovered, although jobs failed; as in Torc 1.0.0 that is a failure of the command, too. */
async function failureOf({ recovery }: Pick<Recovered, 'recovery'>): Promise<string | undefined> {
  const { fixesOf, noneLine } = await import('../../core/lifecycle/recovery-lines.ts');
  const fixes = fixesOf(recovery.plan);
  return recovery.plan.retried.length + recovery.waiting === 0 && fixes.skipped > 0 ? noneLine(fixes) : undefined;
}

async function endLines(
  context: Context,
  workflowId: number,
  { kind, recovery, reset }: Pick<Recovered, 'kind' | 'recovery' | 'reset'>,
  isDryRun: boolean,
): Promise<string[]> {
  const { fixesOf, summaryLines } = await import('../../core/lifecycle/recovery-lines.ts');
  if (isDryRun && (await failureOf({ recovery })) !== undefined)
    return [`[DRY RUN] Summary for workflow ${workflowId}`, 'No auto-recoverable jobs found.'];
  const { nextOf } = await import('../recovery.ts');
  const next = await nextOf(context, workflowId, kind);
  return summaryLines({ workflowId, fixes: fixesOf(recovery.plan), reset, isDryRun, next });
}

const completedLine = (allocations: number) =>
  `Completed an interrupted submission: ${counted(allocations, 'allocation')}`;

/** What a person decides; undefined if the answer is no. */
async function askWishes(
  context: Context,
  wishes: RecoverOptions,
  { recovery }: Pick<Recovered, 'recovery'>,
): Promise<RecoverOptions | undefined> {
  const { openConversation, positive, yesOrNo } = await import('../ask.ts');
  const { plan, waiting } = recovery;
  const talk = await openConversation();
  try {
    let { memoryMultiplier, runtimeMultiplier, retriesUnknown } = wishes;
    if (plan.byCause.has('memory') || plan.byCause.has('cpus'))
      memoryMultiplier = await talk.ask('Raise memory by this factor?', String(memoryMultiplier), positive);
    if (plan.byCause.has('time'))
      runtimeMultiplier = await talk.ask('Raise runtime by this factor?', String(runtimeMultiplier), positive);
    if (plan.left.length > 0 && !retriesUnknown)
      retriesUnknown = await talk.ask(
        `Run the ${counted(plan.left.length, 'job')} that failed for other reasons again?`,
        'n',
        yesOrNo,
      );
    const again = plan.retried.length + (retriesUnknown && !wishes.retriesUnknown ? plan.left.length : 0);
    if (again + waiting === 0) return { ...wishes, retriesUnknown };
    const isAgreed = await talk.ask(
      again > 0 ? `Run ${counted(again, 'job')} again?` : `Go on with ${counted(waiting, 'job')} that wait?`,
      'y',
      yesOrNo,
    );
    return isAgreed ? { ...wishes, memoryMultiplier, runtimeMultiplier, retriesUnknown } : undefined;
  } finally {
    talk.close();
  }
}

const hasCleaned = (cleaned: Cleaned): boolean =>
  cleaned.failed.length +
    cleaned.finishedWorkKept +
    cleaned.jobsRequeued +
    cleaned.activeAllocationsEnded +
    cleaned.pendingAllocationsCleaned +
    cleaned.computeNodesDeactivated >
  0;

async function nextLine(
  context: Context,
  id: number,
  { kind }: Pick<Recovered, 'kind'>,
  works: boolean,
): Promise<string> {
  if (!works) return 'No job runs again.';
  const { nextOf } = await import('../recovery.ts');
  const next = await nextOf(context, id, kind);
  return next === undefined
    ? `How it goes on: ${context.hint(`torc status ${id}`)}`
    : `Run them: ${context.hint(next)}`;
}

/** What the jobs used; asked before they are reset, because a job that is reset has no current result. */
async function usesOf({ service, output }: Context, id: number): Promise<CheckedResources> {
  const { client } = await service();
  const { checkResources } = await import('../../operations/check-resources.ts');
  return output.format === 'json'
    ? checkResources(client, id, { runId: undefined, includesFailed: true, leastOverPercent: 1 })
    : { looked: 0, measurements: [], violations: [], within: [], lacking: [] };
}

interface Report {
  readonly done: Recovered;
  readonly wishes: RecoverOptions;
  readonly diagnosis: CheckedResources;
  readonly isDryRun: boolean;
}

async function reportJson(context: Context, id: number, { done, wishes, diagnosis, isDryRun }: Report) {
  const { nextOf } = await import('../recovery.ts');
  const next = await nextOf(context, id, done.kind);
  const { lackTold, told } = await import('../output/measured-use.ts');
  const { recoveryJson } = await import('../output/recovered.ts');
  const { cleanedJson } = await import('../output/cleaned.ts');
  const works = done.recovery.plan.retried.length > 0 || done.recovery.waiting > 0;
  return {
    workflow_id: id,
    dry_run: isDryRun,
    memory_multiplier: wishes.memoryMultiplier,
    runtime_multiplier: wishes.runtimeMultiplier,
    result: recoveryJson(done.recovery),
    diagnosis: {
      workflow_id: id,
      total_results: diagnosis.looked,
      over_utilization_count: diagnosis.violations.length,
      violations: diagnosis.violations.map(told),
      resource_violations_count: diagnosis.lacking.length,
      resource_violations: diagnosis.lacking.map(lackTold),
    },
    orphans: cleanedJson(done.cleaned, done.lostRunners, isDryRun),
    jobs_reset: done.reset,
    allocations_submitted: done.completed.length + (done.regenerated?.submitted.length ?? 0),
    ...(works && next !== undefined ? { next } : {}),
  };
}
