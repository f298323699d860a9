import { measuredOf } from '../../core/lifecycle/resources/resource-use.ts';
import type { LackingJob, Measurement } from '../../operations/resources/check-resources.ts';
import { askedMemoryText, askedTimeText } from './needs-text.ts';
import { bytesText, memoryText, secondsText } from './words.ts';

const isBytes = ({ resource }: Measurement) => resource === 'Memory' || resource === 'GPU Memory';

function specified({ resource, limit, job }: Measurement): string {
  if (resource === 'GPU Memory') return bytesText(limit);
  if (resource === 'Memory') return job.requirements.memory ?? '';
  return resource === 'CPU' ? `${limit}%` : (job.requirements.runtime ?? '');
}

/** As people read amounts; `specified` is what a workflow file says. */
export function specifiedText(row: Measurement): string {
  const { resource, job } = row;
  if (resource === 'GPU Memory') return memoryText(row.limit);
  if (resource === 'CPU') return specified(row);
  return resource === 'Memory' ? askedMemoryText(job.requirements.memory) : askedTimeText(job.requirements.runtime);
}

export function peakText(row: Measurement): string {
  return isBytes(row) ? memoryText(row.peak) : peakUsed(row);
}

function peakUsed(row: Measurement): string {
  const { resource, peak } = row;
  if (isBytes(row)) return bytesText(peak);
  return resource === 'CPU' ? `${peak.toFixed(1)}%` : secondsText(peak);
}

export function overText({ overPercent }: Pick<Measurement, 'overPercent'>): string {
  return `${overPercent >= 0 ? '+' : ''}${overPercent.toFixed(1)}%`;
}

export const reported = (row: Measurement) => ({
  job_id: row.job.id,
  job_name: row.job.name,
  resource_type: row.resource,
  specified: specified(row),
  peak_used: peakUsed(row),
  over_utilization: overText(row),
});

/** The resources that a failed job probably lacked. */
export function lackReported({ job, use, result, lack }: LackingJob) {
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
    ...(lack.memory === undefined ? {} : { memory_violation: true, oom_reason: lack.memory }),
    ...(lack.memory === 'memory_exceeded' && over !== undefined ? { memory_over_utilization: overText(over) } : {}),
    ...(lack.timeout ? { likely_timeout: true } : {}),
    ...(lack.timeoutReason === undefined ? {} : { timeout_reason: lack.timeoutReason }),
    ...(lack.runtime ? { likely_runtime_violation: true } : {}),
    ...(share === undefined ? {} : { runtime_utilization: `${share.toFixed(1)}%` }),
    ...(lack.cpu ? { likely_cpu_violation: true } : {}),
    ...(use.peakCpuPercent === undefined ? {} : { peak_cpu_percent: use.peakCpuPercent }),
  };
}
