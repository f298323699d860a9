import { counted } from '../../../core/quantity/count-text.ts';
import { recordKinds, type RecordKind, recordsWithin, workflowOption } from '../../choose/choose-record.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../command/failure.ts';
import { integerOption, option, optionsOf } from '../../command/option.ts';
import type { JobsSet } from '../../../operations/update/edit-plan.ts';
import { chooseJobs, returnCodeOption, selectionOf, statusesOption } from './selection.ts';

const shared = optionsOf([
  option('-c, --command <command>', 'command of the job'),
  option('-r, --resource-requirements-id <requirements>', 'resource requirements, by id or name'),
  option('--priority <n>', 'larger numbers start first', { read: integerOption(0) }),
  option('--label <label>', 'labels that a runner must have; may be repeated or separated by commas', { many: true }),
  option('--dry-run', 'only show what would change and run'),
]);

const labelsOf = (given: readonly string[] | undefined) => given?.flatMap((text) => text.split(','));

const add = command('jobs add [workflow]', {
  says: 'Add a job to a workflow, also while it runs: it is ready as soon as what it depends on has ended.',
  example: "1 --name extra --command 'python extra.py'",
  more: 'A job that reads a file waits for the job that writes it. Jobs that read what the new job writes run again. In a workflow of a file, write the job into the file, too: torc run FILE --update removes what the file does not have.',
  options: [
    option('-n, --name <name>', 'name of the job'),
    ...shared,
    option('-b, --depends-on-job-ids <id-or-name...>', 'jobs that must end before it', { many: true, kind: 'job' }),
    option('-i, --input-file-ids <id-or-name...>', 'files that it reads', { many: true, kind: 'file record' }),
    option('-o, --output-file-ids <id-or-name...>', 'files that it writes', { many: true, kind: 'file record' }),
  ],
  async run(context, [given], options) {
    context.output.recordOnly('add');
    const { name, command: text, priority, dryRun = false } = options;
    // An empty text is a variable of a script that is not set.
    if (!name || !text) throw new UsageError('a job needs a name and a command: --name NAME --command COMMAND');
    const { id, client } = await openWorkflow(context, given);
    const within = async (kind: RecordKind, texts: string | readonly string[] | undefined) =>
      texts === undefined ? undefined : recordsWithin(context, kind, id, [texts].flat());
    const job = {
      name,
      command: text,
      priority,
      labels: labelsOf(options.label),
      resource_requirements_id: (await within(recordKinds.requirements, options.resourceRequirementsId))?.[0],
      depends_on_job_ids: await within(recordKinds.job, options.dependsOnJobIds),
      input_file_ids: await within(recordKinds.file, options.inputFileIds),
      output_file_ids: await within(recordKinds.file, options.outputFileIds),
    };
    const { addJob } = await import('../../../operations/update/edit-plan.ts');
    const updated = await addJob(client, id, job, dryRun);
    await report(context, 'add', { id, updated, differences: [], isDryRun: dryRun });
  },
});

const set = command('jobs set [job...]', {
  says: 'Change the command, the requirements, the priority or the labels of jobs, also of jobs that have ended.',
  example: "train_3 -w 1 --command 'python train.py 3'",
  more: 'A job with a new command runs again, and so does what depends on it; with other requirements, priority or labels it keeps its results. A job that a runner has stays as it is: it is named, and the exit code is 1. Which jobs: by their ids or names, by --status or by --return-code. In a workflow of a file, change the file, too: torc run FILE --update takes its values.',
  options: [workflowOption, ...shared, statusesOption, returnCodeOption, option('--clear-labels', 'remove all labels')],
  async run(context, [given = []], options) {
    context.output.recordOnly('set');
    const { command: text, priority, dryRun = false } = options;
    if (text === '') throw new UsageError('a job needs a command, and --command is an empty text');
    if (options.label !== undefined && options.clearLabels === true)
      throw new UsageError('--label and --clear-labels cannot be used together');
    const labels = options.clearLabels === true ? [] : labelsOf(options.label);
    const needs = options.resourceRequirementsId;
    if ([text, priority, labels, needs].every((value) => value === undefined))
      throw new UsageError(
        'nothing to change: give one of --command, --resource-requirements-id, --priority, --label, --clear-labels',
      );
    const { workflowId: id, jobs } = await chooseJobs(context, selectionOf(given, options));
    const { client } = await context.service();
    const settings = {
      command: text,
      priority,
      labels,
      resource_requirements_id:
        needs === undefined ? undefined : (await recordsWithin(context, recordKinds.requirements, id, [needs]))[0],
    };
    const { setJobs } = await import('../../../operations/update/edit-plan.ts');
    await report(context, 'set', { id, ...(await setJobs(client, id, jobs, settings, dryRun)), isDryRun: dryRun });
  },
});

async function report(
  context: Context,
  kind: string,
  { id, updated, differences, isDryRun }: JobsSet & { readonly id: number; readonly isDryRun: boolean },
): Promise<void> {
  const { output, hint } = context;
  const { countsText, reportHeld } = await import('../../output/plan-difference.ts');
  const { differenceLines } = await import('../../output/job-differences.ts');
  const held = new Set(updated.held.map(({ job_id: job }) => job));
  const applied = differences.filter(({ id: job }) => job === undefined || !held.has(job));
  const { rerun_jobs: jobs } = updated;
  const runs = isDryRun ? 'would run' : jobs === 1 ? 'runs' : 'run';
  const next = isDryRun || jobs === 0 ? '' : `; ${hint(`torc run ${id}`)} starts a runner if there is none`;
  output.record(
    kind,
    { workflow_id: id, dry_run: isDryRun, ...updated },
    [
      ...differenceLines(applied, output.width),
      `Workflow ${id}: ${countsText(updated)}; ${counted(jobs, 'job')} ${runs}${next}`,
    ].join('\n'),
  );
  reportHeld(context, updated, isDryRun);
}

export const jobPlan: readonly Command[] = [add, set];
