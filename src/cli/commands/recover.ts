import { counted } from '../../core/quantity/count-text.ts';
import type { CheckedResources } from '../../operations/check-resources.ts';
import type { Cleaned } from '../../operations/orphans/clean.ts';
import type { Diagnosis } from '../../operations/recover/diagnose.ts';
import type { Recovered } from '../../operations/recover/recover-workflow.ts';
import type { RecoverOptions, RecoverTools } from '../../operations/recover/tools.ts';
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
  async run(context, [named], options) {
    const { output } = context;
    output.recordOnly('recover');
    const id = await chooseWorkflow(context, named);
    const { Refusal } = await import('../../core/contract/refusals.ts');
    const { recoverOptionsOf, recoverTools } = await import('../recover-tools.ts');
    const isDryRun = options.dryRun === true;
    const tools = await recoverTools(context, id, options);
    const given = recoverOptionsOf(options);
    try {
      if (isDryRun) await dryRun(context, id, tools, given);
      else
        await recoverHere(context, id, { tools, given, asks: options.prompts !== false && output.format !== 'json' });
    } catch (error) {
      if (output.format !== 'json' || !(error instanceof Refusal)) throw error;
      output.jsonLine({ workflow_id: id, dry_run: isDryRun, error: error.message });
      context.exitWith(1);
    }
  },
});

async function dryRun(context: Context, id: number, tools: RecoverTools, options: RecoverOptions): Promise<void> {
  const { client } = tools;
  const { diagnose } = await import('../../operations/recover/diagnose.ts');
  const { hasWork } = await import('../../operations/recover/recover-workflow.ts');
  const { plannedAllocations } = await import('../../operations/recover/planned-allocations.ts');
  const { planLines } = await import('../output/recovered.ts');
  const { cleanedText } = await import('../output/cleaned.ts');
  const { regeneratedJson, regeneratedText } = await import('../output/regenerated.ts');
  const { unfinishedAllocations } = await import('../../operations/slurm/finish-submissions.ts');
  const unsubmitted = (await unfinishedAllocations(client, id)).length;
  if (unsubmitted > 0) {
    const what = `Would complete an interrupted submission first: ${counted(unsubmitted, 'allocation')}`;
    context.output.record('recover', { workflow_id: id, dry_run: true, unsubmitted_allocations: unsubmitted }, what);
    return;
  }
  const found = await diagnose(tools, id, options, true);
  const slurm =
    found.kind === 'slurm' && hasWork(found.recovery) ? await plannedAllocations(tools, id, found.recovery) : undefined;
  const about = slurm && { workflowId: id, isDryRun: true, submits: true, profile: slurm.profile };
  const json = await reportJson(context, id, {
    done: { ...found, reset: 0, regenerated: undefined },
    options,
    uses: await usesOf(context, id),
    isDryRun: true,
  });
  const planned = slurm && about ? regeneratedJson(slurm.planned, about) : undefined;
  context.output.record(
    'recover',
    planned === undefined ? json : { ...json, result: { ...json.result, slurm_dry_run: planned } },
    [
      ...(hasCleaned(found.cleaned) || found.lostRunners > 0
        ? [cleanedText(found.cleaned, found.lostRunners, true)]
        : []),
      ...planLines(id, found.recovery, false),
      ...(slurm && about ? [regeneratedText(slurm.planned, about)] : []),
      await nextLine(context, id, found, hasWork(found.recovery)),
      ...(await endLines(context, id, { ...found, reset: found.recovery.plan.retried.length }, true)),
      'Nothing was changed (dry run).',
    ].join('\n'),
  );
}

interface Here {
  readonly tools: RecoverTools;
  readonly given: RecoverOptions;
  readonly asks: boolean;
}

async function recoverHere(context: Context, id: number, { tools, given, asks }: Here): Promise<void> {
  const { output } = context;
  const { hasWork, recoverAsDecided } = await import('../../operations/recover/recover-workflow.ts');
  const { planLines } = await import('../output/recovered.ts');
  let options = given;
  let uses = NO_USES;
  const request = { workflowId: id, command: 'recover', options: given };
  const done = await recoverAsDecided(tools, request, async (found) => {
    const chosen = await decided(context, id, found, { given, asks });
    if (chosen === undefined) return undefined;
    options = chosen;
    uses = await usesOf(context, id);
    return chosen;
  });
  if (done === undefined) {
    output.notice('Nothing was reset. --no-prompts recovers without asking.');
    return;
  }
  const json = await reportJson(context, id, { done, options, uses, isDryRun: false });
  const failure = await failureOf(done);
  output.record(
    'recover',
    failure === undefined ? json : { ...json, error: failure },
    [
      ...(done.completed.length === 0 ? [] : [completedLine(done.completed.length)]),
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

/** Shows what was corrected, and with `asks` the plan, about which it asks. */
async function decided(
  context: Context,
  id: number,
  found: Diagnosis,
  { given, asks }: Pick<Here, 'given' | 'asks'>,
): Promise<RecoverOptions | undefined> {
  const { output } = context;
  const { planLines } = await import('../output/recovered.ts');
  const { cleanedText } = await import('../output/cleaned.ts');
  if (hasCleaned(found.cleaned) || found.lostRunners > 0)
    output.notice(cleanedText(found.cleaned, found.lostRunners, false));
  if (!asks || found.isOnlyCompleted) return given;
  output.notice(planLines(id, found.recovery, false).join('\n'));
  return askOptions(given, found);
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
  const { nextOf } = await import('../../operations/recover/next.ts');
  const { client } = await context.service();
  const next = await nextOf(client, workflowId, kind);
  return summaryLines({ workflowId, fixes: fixesOf(recovery.plan), reset, isDryRun, next });
}

const completedLine = (allocations: number) =>
  `Completed an interrupted submission: ${counted(allocations, 'allocation')}`;

/** What a person decides; undefined if the answer is no. */
async function askOptions(
  given: RecoverOptions,
  { recovery }: Pick<Diagnosis, 'recovery'>,
): Promise<RecoverOptions | undefined> {
  const { openConversation, positive, yesOrNo } = await import('../ask.ts');
  const { plan, waiting } = recovery;
  const talk = await openConversation();
  try {
    let { memoryMultiplier, runtimeMultiplier, retriesUnknown } = given;
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
    const again = plan.retried.length + (retriesUnknown && !given.retriesUnknown ? plan.left.length : 0);
    if (again + waiting === 0) return { ...given, retriesUnknown };
    const isAgreed = await talk.ask(
      again > 0 ? `Run ${counted(again, 'job')} again?` : `Go on with ${counted(waiting, 'job')} that wait?`,
      'y',
      yesOrNo,
    );
    return isAgreed ? { ...given, memoryMultiplier, runtimeMultiplier, retriesUnknown } : undefined;
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
  const { nextOf } = await import('../../operations/recover/next.ts');
  const { client } = await context.service();
  const next = await nextOf(client, id, kind);
  return next === undefined
    ? `How it goes on: ${context.hint(`torc status ${id}`)}`
    : `Run them: ${context.hint(next)}`;
}

const NO_USES: CheckedResources = { looked: 0, measurements: [], violations: [], within: [], lacking: [] };

/** What the jobs used; asked before they are reset, because a job that is reset has no current result. */
async function usesOf({ service, output }: Context, id: number): Promise<CheckedResources> {
  const { client } = await service();
  const { checkResources } = await import('../../operations/check-resources.ts');
  return output.format === 'json'
    ? checkResources(client, id, { runId: undefined, includesFailed: true, leastOverPercent: 1 })
    : NO_USES;
}

interface Report {
  readonly done: Recovered;
  readonly options: RecoverOptions;
  readonly uses: CheckedResources;
  readonly isDryRun: boolean;
}

async function reportJson(context: Context, id: number, { done, options, uses, isDryRun }: Report) {
  const { nextOf } = await import('../../operations/recover/next.ts');
  const { client } = await context.service();
  const next = await nextOf(client, id, done.kind);
  const { lackReported, reported } = await import('../output/measured-use.ts');
  const { recoveryJson } = await import('../output/recovered.ts');
  const { cleanedJson } = await import('../output/cleaned.ts');
  const works = done.recovery.plan.retried.length > 0 || done.recovery.waiting > 0;
  return {
    workflow_id: id,
    dry_run: isDryRun,
    memory_multiplier: options.memoryMultiplier,
    runtime_multiplier: options.runtimeMultiplier,
    result: recoveryJson(done.recovery),
    diagnosis: {
      workflow_id: id,
      total_results: uses.looked,
      over_utilization_count: uses.violations.length,
      violations: uses.violations.map(reported),
      resource_violations_count: uses.lacking.length,
      resource_violations: uses.lacking.map(lackReported),
    },
    orphans: cleanedJson(done.cleaned, done.lostRunners, isDryRun),
    jobs_reset: done.reset,
    allocations_submitted: done.completed.length + (done.regenerated?.submitted.length ?? 0),
    ...(works && next !== undefined ? { next } : {}),
  };
}
