import { measuredOf } from '../../../core/lifecycle/resource-use.ts';
import { chooseWorkflow } from '../../choose-workflow.ts';
import { command } from '../../command.ts';
import { integer, number } from '../../option.ts';
import type { Column } from '../../output/table.ts';
import { askedMemoryText, askedTimeText } from '../../output/needs-text.ts';
import { bytesText, memoryText, secondsText } from '../../output/words.ts';
import type { LackingJob, Measurement } from '../../../operations/check-resources.ts';

export const workflowsCheckResources = command({
  words: 'workflows check-resources [workflow]',
  says: 'Show which jobs used more memory, CPUs or time than they requested.',
  options: [
    {
      flags: '-r, --run-id <id>',
      says: 'results of this run (default: the current results)',
      read: integer('--run-id', 0),
    },
    { flags: '-a, --all', says: 'include jobs that stayed within their limits' },
    { flags: '--include-failed', says: 'include failed jobs, and what they probably lacked' },
    {
      flags: '--min-over-utilization <percent>',
      says: 'minimum excess over the limit in percent',
      default: 1,
      read: number('--min-over-utilization', 0),
    },
  ],
  async run(context, [given], options) {
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const runId = options.runId;
    const includesFailed = options.includeFailed === true;
    const least = options.minOverUtilization;
    const { checkResources } = await import('../../../operations/check-resources.ts');
    const { looked, measurements, violations, within, lacking } = await checkResources(client, id, {
      runId,
      includesFailed,
      leastOverPercent: least,
    });
    const lacks = includesFailed ? lacking.map(lackTold) : undefined;
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
        violations: violations.map(told),
        ...(options.all === true ? { within_limits: within.map(told) } : {}),
        ...(lacks === undefined ? {} : { resource_violations_count: lacks.length, resource_violations: lacks }),
      },
    });
    if (context.output.format === 'table') for (const lack of lacks ?? []) context.output.notice(lackText(lack));
  },
});

const columns: readonly Column<Measurement>[] = [
  { title: 'Job ID', short: 'Job', value: ({ job }) => job.id, align: 'right', importance: 4 },
  { title: 'Job Name', short: 'Name', value: ({ job }) => job.name, cut: 'middle', importance: 9 },
  { title: 'Resource', value: ({ resource }) => resource, importance: 8 },
  { title: 'Specified', short: 'Asked', value: specified, text: specifiedText, align: 'right', importance: 6 },
  { title: 'Peak Used', short: 'Peak', value: peakUsed, text: peakText, align: 'right', importance: 7 },
  { title: 'Utilization', short: 'Over', value: overText, align: 'right', importance: 8 },
];

function specified({ resource, limit, job }: Measurement): string {
  if (resource === 'Memory') return job.requirements.memory ?? '';
  return resource === 'CPU' ? `${limit}%` : (job.requirements.runtime ?? '');
}

/** As people read amounts; `specified` is what a workflow file says. */
function specifiedText(row: Measurement): string {
  const { resource, job } = row;
  if (resource === 'CPU') return specified(row);
  return resource === 'Memory' ? askedMemoryText(job.requirements.memory) : askedTimeText(job.requirements.runtime);
}

function peakText(row: Measurement): string {
  return row.resource === 'Memory' ? memoryText(row.peak) : peakUsed(row);
}

function peakUsed({ resource, peak }: Measurement): string {
  if (resource === 'Memory') return bytesText(peak);
  return resource === 'CPU' ? `${peak.toFixed(1)}%` : secondsText(peak);
}

function overText({ overPercent }: Pick<Measurement, 'overPercent'>): string {
  return `${overPercent >= 0 ? '+' : ''}${overPercent.toFixed(1)}%`;
}

const told = (row: Measurement) => ({
  job_id: row.job.id,
  job_name: row.job.name,
  resource_type: row.resource,
  specified: specified(row),
  peak_used: peakUsed(row),
  over_utilization: overText(row),
});

/** The resources that a failed job probably lacked. */
function lackTold({ job, use, result, lack }: LackingJob) {
  const { id, name, limits, requirements } = job;
  const over = measuredOf(limits, use).find(({ resource }) => resource === 'Memory');
  const share = limits.runtimeSeconds === undefined ? undefined : (use.seconds / limits.runtimeSeconds) * 100;
  return {
    job_id: id,
    job_name: name,
    return_code: result.return_code,
    exec_time_minutes: result.exec_time_minutes,
    configured_memory: requirements.memory,
    configured_runtime: requirements.runtime,
    configured_cpus: requirements.num_cpus,
    ...(use.peakMemoryBytes === undefined
      ? {}
      : { peak_memory_bytes: use.peakMemoryBytes, peak_memory_formatted: bytesText(use.peakMemoryBytes) }),
    ...(lack.memory === undefined ? {} : { memory_violation: true, memory_reason: lack.memory }),
    ...(lack.memory === 'memory_exceeded' && over !== undefined ? { memory_over_utilization: overText(over) } : {}),
    ...(lack.timeout ? { timeout: true } : {}),
    ...(lack.timeoutReason === undefined ? {} : { timeout_reason: lack.timeoutReason }),
    ...(lack.runtime ? { runtime_violation: true } : {}),
    ...(share === undefined ? {} : { runtime_utilization: `${share.toFixed(1)}%` }),
    ...(lack.cpu ? { cpu_violation: true } : {}),
    ...(use.peakCpuPercent === undefined ? {} : { peak_cpu_percent: use.peakCpuPercent }),
  };
}

function lackText(lack: ReturnType<typeof lackTold>): string {
  const why = [
    ...(lack.memory_violation === true ? [`memory (${lack.memory_reason})`] : []),
    ...(lack.timeout === true || lack.runtime_violation === true ? ['time'] : []),
    ...(lack.cpu_violation === true ? ['CPUs'] : []),
  ];
  return `Job ${lack.job_id} (${lack.job_name}) failed with ${lack.return_code}, probably because of too little ${why.join(' and ')}`;
}
