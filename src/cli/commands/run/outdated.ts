import type { OutdatedRule, Prepared } from '../../../operations/run/run.ts';
import { confirm, isPersonThere } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import type { WorkflowSettingValues } from '../../command/workflow-settings.ts';
import { changedText, rerunsText, sayLookedAt } from '../../output/reruns.ts';

/**
 * What `torc run ID` does with jobs that are out of date: they run where that was asked for, or a person at a terminal agrees. They
 * are named in any case.
 */
export const outdatedRule = (
  { output, hint }: Context,
  workflowId: number,
  { isWanted, force, only }: Pick<OutdatedRule, 'isWanted' | 'force' | 'only'>,
): OutdatedRule => ({
  force,
  only,
  isWanted,
  async decide({ reruns: { run }, ...looked }) {
    sayLookedAt(output, isWanted ? { ...looked, lostOutputs: undefined } : looked);
    if (isWanted) {
      // Loaded here: a run that starts loads no library for a file that it does not update.
      const { refuseLoss } = await import('../../../operations/update/update-plan.ts');
      if (force.length === 0) refuseLoss(looked.lostOutputs);
      return true;
    }
    output.notice(changedText(run, { what: 'out of date', width: output.messageWidth }).join('\n'));
    if (isPersonThere(output))
      return confirm({ output }, run.length === 1 ? 'Run it?' : `Run these ${run.length} jobs?`);
    output.notice(`To run ${run.length === 1 ? 'it' : 'them'}: ${hint(`torc run ${workflowId} --update`)}`);
    return false;
  },
});

/** How many of the jobs that completed are out of date after a preparation; undefined where it was not asked. */
export function outdatedIn(prepared: readonly Prepared[]): number | undefined {
  for (const each of prepared) {
    if (each.kind === 'changed' || each.kind === 'agreed' || each.kind === 'up to date') return 0;
    if (each.kind === 'chosen' && each.unseenIn === undefined) return 0;
    if (each.kind === 'out of date') return each.run.filter(({ status }) => status === 'completed').length;
  }
  return undefined;
}

/** Reports what `torc run ID` would run, and why, and changes nothing. */
export async function reportRun(
  { service, output }: Context,
  id: number,
  { force, only, rerunBy }: Pick<OutdatedRule, 'force' | 'only'> & Pick<WorkflowSettingValues, 'rerunBy'>,
): Promise<void> {
  const { client } = await service();
  const { outdatedOf } = await import('../../../operations/update/update-plan.ts');
  const { reruns, ...looked } = await outdatedOf(client, id, { force, only, onlyChanges: false, rerunBy });
  const text = rerunsText(id, reruns, output.width);
  output.record('dry run', { workflow_id: id, dry_run: true, reruns: reruns.run }, text);
  sayLookedAt(output, looked);
}
