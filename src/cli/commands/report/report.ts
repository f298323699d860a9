import { chooseWorkflow, latestWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { numberOption, option, positiveOption } from '../../command/option.ts';
import type { WorkflowReport } from '../../../core/report/workflow-report.ts';
import { formatOption, outputOption, writeReport } from './write-report.ts';

/** More reports than a page of a person, and 5 MB, can hold. */
const MOST_WORKFLOWS = 50;

export const report = command('report [workflow...]', {
  says: 'Write a report of workflows: how they ended, what they used and cost, and what failed. One file, without a network.',
  example: '1 -o report.html',
  more: 'Without an id it is about the workflow that you created last. The file has no scripts and loads nothing, so it can be sent as mail.\n\n  torc report 1 -o report.html\n  torc report 1 -f md\n  torc report --project climate --since 2026-11-01 -o november.html',
  options: [
    outputOption,
    formatOption,
    option('--project <name>', 'all workflows of this project, instead of ids'),
    option('--since <date>', 'with --project: only those created on this day or later: 2026-11-01'),
    option('--grams-per-kwh <grams>', 'grams of CO₂ for each kWh, where the jobs ran; without it no CO₂ is given', {
      read: numberOption(0),
    }),
    option('--overhead <factor>', 'energy of the site for each kWh of its machines (PUE)', {
      default: 1,
      read: positiveOption,
    }),
  ],
  async run(context, [given], options) {
    const { ids, leftOut } = await chosen(context, given ?? [], options.project, options.since);
    const { client } = await context.service();
    const { gatherReport } = await import('../../../operations/report/gather-report.ts');
    const { workflowReport } = await import('../../../core/report/workflow-report.ts');
    const energy = { overhead: options.overhead, gramsPerKwh: options.gramsPerKwh };
    const reports: WorkflowReport[] = [];
    for (const id of ids) reports.push(workflowReport(await gatherReport(client, id), energy));
    const { reportDocument } = await import('../../../core/report/report-document.ts');
    await writeReport(
      context,
      { json: () => ({ reports, workflows_left_out: leftOut }), document: () => reportDocument(reports, leftOut) },
      options,
    );
  },
});

const DAY = /^\d{4}-\d\d-\d\d(?:T.*)?$/;

async function chosen(
  context: Context,
  given: readonly unknown[],
  project: string | undefined,
  since: string | undefined,
): Promise<{ ids: readonly number[]; leftOut: number }> {
  if (project === undefined) {
    if (since !== undefined) throw new UsageError('--since chooses among the workflows of --project NAME');
    const ids: number[] = [];
    for (const each of given) ids.push(await chooseWorkflow(context, each));
    return { ids: ids.length === 0 ? [await latestWorkflow(context)] : [...new Set(ids)], leftOut: 0 };
  }
  if (given.length > 0) throw new UsageError('name workflows by ids, or by --project, not both');
  const from = since === undefined ? -Infinity : DAY.test(since) ? Date.parse(since) : NaN;
  // Other texts mean different days to different programs.
  if (Number.isNaN(from)) throw new UsageError(`--since: expected a date such as 2026-11-01, found "${since}"`);
  const { client } = await context.service();
  const { all } = await import('../../../client/every.ts');
  const listed = await all((page) => client.listWorkflows({ query: { ...page } }));
  const found = listed.filter((each) => each.project === project && Date.parse(each.timestamp ?? '') >= from);
  if (found.length === 0)
    throw new Failure(`no workflow of project ${project}${since === undefined ? '' : ` was created since ${since}`}`);
  // The newest are the ones that are asked about.
  const ids = found.map(({ id }) => id).slice(-MOST_WORKFLOWS);
  return { ids, leftOut: found.length - ids.length };
}
