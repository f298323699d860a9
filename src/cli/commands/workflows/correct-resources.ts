import { isRaise } from '../../../core/lifecycle/resources/correct-resources.ts';
import { type NEED_FIELDS, USUAL_MULTIPLIERS } from '../../../core/lifecycle/resources/family-use.ts';
import type { Adjustment } from '../../../core/lifecycle/resources/used-jobs.ts';
import { limitsOf } from '../../../core/lifecycle/resources/resource-use.ts';
import { nothingBecause } from '../../../core/lifecycle/resources/family-advice.ts';
import { recordKinds, recordsWithin } from '../../choose/choose-record.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { option, positiveOption } from '../../command/option.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { familiesJson } from '../../../core/lifecycle/resources/family-json.ts';
import { familyLines } from '../../output/family-advice.ts';
import { appliedJson, appliedLines, applyAdvice, applyOptions } from './apply-advice.ts';
import { adjustmentJson, adjustmentLines } from '../../output/adjustments.ts';

const multiplier = <const Name extends keyof typeof USUAL_MULTIPLIERS>(name: Name, what: string) =>
  option(`--${name}-multiplier <factor>` as const, `factor between the measured ${what} and the new requirement`, {
    default: USUAL_MULTIPLIERS[name],
    read: positiveOption,
  });

export const workflowsCorrectResources = command('workflows correct-resources [workflow]', {
  says: 'Change resource requirements to the measured use: more if jobs lacked a resource, less if much was left.',
  example: '1 --dry-run',
  options: [
    multiplier('memory', 'memory'),
    multiplier('cpu', 'CPUs'),
    multiplier('runtime', 'time'),
    option('--job-ids <jobs>', 'only these jobs: ids or names, separated by commas'),
    option('--dry-run', 'only show the changes, and change nothing'),
    option('--no-downsize', 'never lower requirements'),
    ...applyOptions,
  ],
  async run(context, [workflow], options) {
    const { output } = context;
    output.recordOnly('correct-resources');
    const { id, client } = await openWorkflow(context, workflow);
    const given = options.jobIds?.split(',').map((part) => part.trim());
    const multipliers = {
      memory: options.memoryMultiplier,
      cpu: options.cpuMultiplier,
      runtime: options.runtimeMultiplier,
    };
    const dryRun = options.dryRun === true;
    const downsizes = options.downsize !== false;
    const { correctionsOf, storeAdjustments } = await import('../../../operations/resources/correct-resources.ts');
    const advised = await correctionsOf(client, id, {
      multipliers,
      downsizes,
      jobIds: given && (await recordsWithin(context, recordKinds.job, id, given)),
    });
    const { adjustments, analyzed, atTimeout, families } = advised;
    const apply = { file: options.apply, isAgreed: options.yes === true, isDryRun: dryRun };
    // The file first: it is compared with the workflow as it was, and a repetition finds both halves.
    const applied = await applyAdvice(context, advised, apply);
    if (applied.isRefused) return;
    if (!dryRun)
      await storeAdjustments(client, id, adjustments, () =>
        output.warn(
          'This server cannot change several records at once, so the changes are made one after another. After an interruption, run the command again.',
        ),
      );
    const nothing = adjustments.length > 0 ? undefined : nothingBecause(families);
    output.record(
      'correct-resources',
      {
        status: 'success',
        workflow_id: id,
        dry_run: dryRun,
        no_downsize: !downsizes,
        memory_multiplier: multipliers.memory,
        cpu_multiplier: multipliers.cpu,
        runtime_multiplier: multipliers.runtime,
        resource_requirements_updated: adjustments.length,
        jobs_analyzed: analyzed,
        ...(atTimeout === 0 ? {} : { jobs_at_timeout: atTimeout }),
        ...countsOf(adjustments, 'raised', ''),
        ...countsOf(adjustments, 'lowered', 'downsize_'),
        adjustments: adjustments.map(adjustmentJson),
        ...(nothing === undefined ? {} : { nothing_because: nothing }),
        ...familiesJson(families),
        ...appliedJson(applied, apply),
      },
      [
        `${dryRun ? 'Would change' : 'Changed'} ${counted(adjustments.length, 'record')} of resource requirements of workflow ${id} (${counted(analyzed, 'job')} looked at)`,
        ...adjustments.flatMap(adjustmentLines),
        ...(nothing === undefined ? [] : [`Nothing to change, because ${nothing}.`]),
        ...appliedLines(applied, apply),
        ...familyLines(families),
        ...(atTimeout === 0
          ? []
          : [
              `${counted(atTimeout, 'job')} reached a timeout, which stays; torc jobs update JOB --timeout DURATION gives more time`,
            ]),
      ].join('\n'),
    );
  },
});

/** The number of jobs for which each resource is raised, or lowered. */
function countsOf(adjustments: readonly Adjustment[], way: 'raised' | 'lowered', prefix: string) {
  const jobs = (field: (typeof NEED_FIELDS)[number]) =>
    adjustments
      .filter(
        ({ before, correction }) =>
          correction[field] !== undefined && isRaise(limitsOf(before), correction, field) === (way === 'raised'),
      )
      .reduce((sum, { correction }) => sum + (way === 'raised' ? correction.jobs : correction.sharing).length, 0);
  return {
    [`${prefix}memory_corrections`]: jobs('memoryBytes'),
    [`${prefix}cpu_corrections`]: jobs('numCpus'),
    [`${prefix}runtime_corrections`]: jobs('runtimeSeconds'),
  };
}
