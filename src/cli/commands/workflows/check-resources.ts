import { openWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { integerOption, numberOption, option } from '../../command/option.ts';
import { appliedJson, appliedLines, applyAdvice, applyOptions } from './apply-advice.ts';
import type { Column } from '../../output/table.ts';
import { familyLines } from '../../output/family-advice.ts';
import { lackReported, overText, peakText, specifiedText, reported } from '../../output/measured-use.ts';
import { familiesJson } from '../../../core/lifecycle/resources/family-json.ts';
import type { Measurement } from '../../../operations/resources/check-resources.ts';

export const workflowsCheckResources = command('workflows check-resources [workflow]', {
  says: 'Show which jobs used more memory, CPUs or time than they requested.',
  example: '1 --include-failed',
  options: [
    option('-r, --run-id <id>', 'results of this run (default: the current results)', {
      read: integerOption(0),
    }),
    option('-a, --all', 'include jobs that stayed within their limits'),
    option('--include-failed', 'include failed jobs, and what they probably lacked'),
    option('--min-over-utilization <percent>', 'minimum excess over the limit in percent', {
      default: 1,
      read: numberOption(0),
    }),
    ...applyOptions,
  ],
  async run(context, [given], options) {
    const { id, client } = await openWorkflow(context, given);
    const runId = options.runId;
    const includesFailed = options.includeFailed === true;
    const least = options.minOverUtilization;
    const { checkResources } = await import('../../../operations/resources/check-resources.ts');
    const checked = await checkResources(client, id, { runId, includesFailed, leastOverPercent: least });
    const { looked, measurements, violations, within, lacking, families } = checked;
    const apply = { file: options.apply, isAgreed: options.yes === true, isDryRun: false };
    const applied = await applyAdvice(context, checked, apply);
    if (applied.isRefused) return;
    const lacks = includesFailed ? lacking.map(lackReported) : undefined;
    context.output.list({
      items: options.all === true ? measurements : violations,
      columns,
      things: options.all === true ? 'measurements' : 'over-utilizations',
      title: `Resources used in workflow ${id}:`,
      empty: `No job of workflow ${id} used more than it asked for (${looked} results looked at)`,
      json: {
        workflow_id: id,
        ...(runId === undefined ? {} : { run_id: runId }),
        total_results: looked,
        over_utilization_count: violations.length,
        violations: violations.map(reported),
        ...(options.all === true ? { within_limits: within.map(reported) } : {}),
        ...(lacks === undefined ? {} : { resource_violations_count: lacks.length, resource_violations: lacks }),
        ...familiesJson(families),
        ...appliedJson(applied, apply),
      },
    });
    if (context.output.format === 'table')
      for (const line of [
        ...(lacks ?? []).map(lackText),
        ...appliedLines(applied, apply),
        ...(looked === 0 ? [] : familyLines(families)),
      ])
        context.output.notice(line);
  },
});

const oneDecimal = (value: number) => Math.round(value * 10) / 10;

const columns: readonly Column<Measurement>[] = [
  { title: 'Job ID', short: 'Job', value: ({ job }) => job.id, align: 'right', importance: 4 },
  { title: 'Job Name', short: 'Name', value: ({ job }) => job.name, cut: 'middle', importance: 9 },
  { title: 'Resource', value: ({ resource }) => resource, importance: 8 },
  {
    title: 'Specified',
    short: 'Asked',
    value: ({ limit }) => limit,
    text: specifiedText,
    align: 'right',
    importance: 6,
  },
  { title: 'Peak Used', short: 'Peak', value: ({ peak }) => peak, text: peakText, align: 'right', importance: 7 },
  {
    title: 'Utilization',
    short: 'Over',
    value: ({ overPercent }) => oneDecimal(overPercent),
    text: overText,
    align: 'right',
    importance: 8,
  },
];

function lackText(lack: ReturnType<typeof lackReported>): string {
  const why = [
    ...(lack.memory_violation === true ? [`memory (${lack.oom_reason})`] : []),
    ...(lack.likely_timeout === true || lack.likely_runtime_violation === true ? ['time'] : []),
    ...(lack.likely_cpu_violation === true ? ['CPUs'] : []),
  ];
  return `Job ${lack.job_id} (${lack.job_name}) failed with ${lack.return_code}, probably because of too little ${why.join(' and ')}`;
}
