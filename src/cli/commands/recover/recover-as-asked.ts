import { Refusal } from '../../../core/contract/refusals.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { RecoveryDiagnosis } from '../../../operations/recover/diagnose.ts';
import { hasWork } from '../../../core/lifecycle/recover/recovery-plan.ts';
import { recoverAsDecided } from '../../../operations/recover/recover-workflow.ts';
import type { RecoverRunOptions, RecoverTools } from '../../../operations/recover/tools.ts';
import { unbegunAllocations, unbegunLines } from '../../../operations/submit/unbegun-allocations.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import type { ValuesOf } from '../../command/option.ts';
import { cleanedText } from '../../output/cleaned.ts';
import { planLines } from '../../recovery/recovered.ts';
import { NO_USES, endLines, failureOf, hasCleaned, nextLine, reportJson, usesOf } from './recover-report.ts';
import { recoverOptionsOf, recoverTools } from '../../recovery/recover-tools.ts';
import type { recoveryOptions } from '../../recovery/recovery-options.ts';

interface Given extends ValuesOf<typeof recoveryOptions> {
  readonly dryRun?: boolean | undefined;
  readonly prompts?: boolean | undefined;
}

/** `torc recover`: shows the plan, asks where a person can answer, and recovers. */
export async function recoverAsAsked(context: Context, [named]: [string], options: Given): Promise<void> {
  const { output } = context;
  output.recordOnly('recover');
  const id = await chooseWorkflow(context, named);
  const isDryRun = options.dryRun === true;
  const tools = await recoverTools(context, id, options);
  const given = recoverOptionsOf(options);
  // Allocations that are submitted again may end in the same way.
  for (const line of unbegunLines(await unbegunAllocations(tools.client, id, tools).catch(() => []))) output.warn(line);
  try {
    if (isDryRun) await (await import('./recover-dry-run.ts')).recoverDryRun(context, id, tools, given);
    else await recoverHere(context, id, { tools, given, asks: options.prompts !== false && output.format !== 'json' });
  } catch (error) {
    if (output.format !== 'json' || !(error instanceof Refusal)) throw error;
    output.jsonLine({ workflow_id: id, dry_run: isDryRun, error: error.message });
    context.exitWith(1);
  }
}

interface Here {
  readonly tools: RecoverTools;
  readonly given: RecoverRunOptions;
  readonly asks: boolean;
}

async function recoverHere(context: Context, id: number, { tools, given, asks }: Here): Promise<void> {
  const { output } = context;
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
    output.detail('Nothing was reset. --no-prompts recovers without asking.');
    return;
  }
  const json = reportJson(id, { done, options, uses, isDryRun: false });
  const failure = failureOf(done);
  output.record(
    'recover',
    failure === undefined ? json : { ...json, error: failure },
    [
      ...(done.completed.length === 0 ? [] : [completedLine(done.completed.length)]),
      ...(done.isOnlyCompleted ? [] : planLines(id, done.recovery, true)),
      ...(done.regenerated === undefined
        ? []
        : [`Submitted ${counted(done.regenerated.submitted.length, 'allocation')}`]),
      nextLine(context, id, done, { works: done.isOnlyCompleted || hasWork(done.recovery), isDryRun: false }),
      ...(failure === undefined && !done.isOnlyCompleted ? endLines(id, done, false) : []),
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
  found: RecoveryDiagnosis,
  { given, asks }: Pick<Here, 'given' | 'asks'>,
): Promise<RecoverRunOptions | undefined> {
  const { output } = context;
  if (hasCleaned(found.cleaned) || found.lostRunners > 0)
    output.notice(cleanedText(found.cleaned, found.lostRunners, false));
  if (!asks || found.isOnlyCompleted) return given;
  output.notice(planLines(id, found.recovery, false).join('\n'));
  return askOptions(given, found);
}

const completedLine = (allocations: number) =>
  `Completed an interrupted submission: ${counted(allocations, 'allocation')}`;

/** What a person decides; undefined if the answer is no. */
async function askOptions(
  given: RecoverRunOptions,
  { recovery }: Pick<RecoveryDiagnosis, 'recovery'>,
): Promise<RecoverRunOptions | undefined> {
  const { openConversation, positive, yesOrNo } = await import('./ask.ts');
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
