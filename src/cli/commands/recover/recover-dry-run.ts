import { counted } from '../../../core/quantity/count-text.ts';
import { hasWork } from '../../../core/lifecycle/recover/recovery-plan.ts';
import { diagnoseRecovery } from '../../../operations/recover/diagnose.ts';
import { plannedAllocations } from '../../../operations/recover/planned-allocations.ts';
import type { RecoverRunOptions, RecoverTools } from '../../../operations/recover/tools.ts';
import { unfinishedAllocations } from '../../../operations/submit/finish-submissions.ts';
import type { Context } from '../../command/context.ts';
import { cleanedText } from '../../output/cleaned.ts';
import { planLines } from '../../recovery/recovered.ts';
import { regeneratedJson, regeneratedText } from '../../output/regenerated.ts';
import { endLines, hasCleaned, nextLine, reportJson, usesOf } from './recover-report.ts';

/** `torc recover --dry-run`: shows what a recovery would do. */
export async function recoverDryRun(
  context: Context,
  id: number,
  tools: RecoverTools,
  options: RecoverRunOptions,
): Promise<void> {
  const { client } = tools;
  const unsubmitted = (await unfinishedAllocations(client, id)).length;
  if (unsubmitted > 0) {
    const what = `Would complete an interrupted submission first: ${counted(unsubmitted, 'allocation')}`;
    context.output.record('recover', { workflow_id: id, dry_run: true, unsubmitted_allocations: unsubmitted }, what);
    return;
  }
  const found = await diagnoseRecovery(tools, id, options, true);
  const slurm =
    found.kind === 'slurm' && hasWork(found.recovery) ? await plannedAllocations(tools, id, found.recovery) : undefined;
  const about = slurm && { workflowId: id, isDryRun: true, submits: true, profile: slurm.profile };
  const json = reportJson(id, {
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
      nextLine(context, id, found, { works: hasWork(found.recovery), isDryRun: true }),
      ...endLines(id, { ...found, reset: found.recovery.plan.retried.length }, true),
      'Nothing was changed (dry run).',
    ].join('\n'),
  );
}
