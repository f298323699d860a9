import { recordKinds, recordsWithin } from '../../choose/choose-record.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { submitOptions } from '../../slurm/slurm-options.ts';
import { planningOptions } from '../../slurm/planning-options.ts';
import { option } from '../../command/option.ts';

export const slurmRegenerate = command('slurm regenerate [workflow]', {
  says: 'Make Slurm schedulers for the jobs of a workflow that wait to run, and submit their allocations.',
  more:
    'For a workflow whose allocations ended before all jobs did. The actions schedule_nodes of the workflow are marked as executed, allocations ' +
    'that wait or run are counted, and jobs that wait for others get a recovery action that submits theirs later. So no allocation is ' +
    'submitted twice for one need, and the command can be repeated. Without --submit nothing is submitted.',
  options: [
    ...planningOptions,
    option('--single-allocation', 'one allocation of several nodes instead of several of one node'),
    option('--partition <name>', 'the only partition to use'),
    option('--walltime <time>', 'walltime of the allocations: 04:00:00 (default: by --walltime-strategy)'),
    option('--submit', 'submit the allocations'),
    ...submitOptions,
    option('--dry-run', 'only show the schedulers'),
    option(
      '--include-job-ids <jobs>',
      'plan for these jobs too, ids or names separated by commas, although they do not wait',
    ),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('regenerate');
    const { id, client } = await openWorkflow(context, given);
    const listed = options.includeJobIds?.split(',').map((part) => part.trim());
    const includedJobs = listed === undefined ? [] : await recordsWithin(context, recordKinds.job, id, listed);
    const { hpcSettings, profileFor } = await import('../../slurm/hpc-profile.ts');
    const { sitePlanOf } = await import('../../../operations/submit/site-plan.ts');
    const { regeneratedJson, regeneratedText } = await import('../../output/regenerated.ts');
    const { submitTools, warnOfLoopback } = await import('../../slurm/slurm-tools.ts');
    const { regenerate } = await import('../../../operations/submit/regenerate.ts');
    const { underLease } = await import('../../../operations/submit/recovery-lease.ts');
    const isDryRun = options.dryRun === true;
    const submits = options.submit === true;
    const tools = await submitTools(context, options, 'slurm regenerate');
    const profile = await profileFor(context, options.profile);
    const plan = await sitePlanOf(client, id, { profile, settings: hpcSettings(context) }, options);
    if (plan === undefined)
      throw new Failure('No account specified and no existing schedulers found.\nName one with --account.');
    if (submits && !isDryRun) warnOfLoopback(context, tools.settings.url);
    const act = () => regenerate(tools, id, { ...plan, submits, isDryRun, includedJobs, nowMs: Date.now() });
    const found = isDryRun
      ? await act()
      : await underLease(client, { workflowId: id, command: 'slurm regenerate' }, act);
    for (const warning of found.warnings) output.warn(warning);
    const about = { workflowId: id, isDryRun, submits, profile };
    output.record('regenerate', regeneratedJson(found, about), regeneratedText(found, about));
    if (found.pendingJobs > 0 && found.schedulers.length === 0) context.exitWith(1);
  },
});
