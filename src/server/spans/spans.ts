import { statusOf } from '../../core/contract/job.ts';
import { VERSION } from '../../core/contract/version.ts';
import { sentenceOf } from '../../core/attempt/cause.ts';
import { type Counts, countOf, FAILED, STOPPED, SUCCEEDED } from '../../core/job/statuses.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { EndedRow, TracedWorkflowRow } from './queries.ts';

/**
 * Spans in the JSON of OTLP: a trace is a run of a workflow, in which each job is a span with its attempts below it.
 *
 * Ids are made of what is stored, and not drawn: spans of one trace are sent at different times, also by a server that was
 * restarted meanwhile, and one that is sent twice is the same span.
 * Source: OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding"; 64-bit numbers are texts, ids are hexadecimal.
 */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Internal. */
  readonly kind: 1;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  /** An error, with its sentence; absent for a success. */
  readonly status?: { readonly code: 2; readonly message: string };
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number };
}

/** When something ran, in Unix milliseconds. */
export interface SpanTimes {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** The bytes of an id: 16 of a trace, 8 of a span. */
function idOf(bytes: 8 | 16, ...parts: readonly (string | number)[]): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256')
    .update(parts.join('\0'))
    .digest('hex')
    .slice(0, 2 * bytes);
}

/** The trace of a run. The time of creation is in it: another server may have a workflow with the same id and name. */
export const traceIdOf = ({ id, name, user, timestamp }: TracedWorkflowRow, runId: number): string =>
  idOf(16, timestamp, user, name, id, runId);

/** The span of an attempt, and that of its job if it has ended with this attempt. An end whose time cannot be read has none. */
export function spansOfEnd(row: EndedRow, traceId: string): Span[] {
  const { started_ms: startedMs, ended_ms: endedMs, first_ms: firstMs } = row;
  if (startedMs === null || endedMs === null) return [];
  const status = statusOf(row.status);
  const why = sentenceOf({ status, returnCode: row.return_code, causeCode: row.cause_code, cause: row.cause });
  const error = why === undefined ? {} : { status: { code: 2, message: why } as const };
  const jobSpan = idOf(8, traceId, 'job', row.job_id);
  const common = { traceId, kind: 1 as const, ...error };
  const ofJob = { 'torc.job.id': row.job_id, 'torc.job.status': status };
  const attempt: Span = {
    ...common,
    spanId: idOf(8, traceId, 'job', row.job_id, row.attempt_id),
    parentSpanId: jobSpan,
    name: `${row.job_name}, attempt ${row.attempt_id}`,
    ...timesOf({ startedMs, endedMs }),
    attributes: attributesOf({
      ...ofJob,
      'torc.attempt.id': row.attempt_id,
      'process.exit.code': row.return_code,
      'torc.cause': row.cause_code,
      'host.name': row.hostname,
      'torc.peak_memory_bytes': row.peak_memory_bytes,
      'torc.avg_cpu_percent': row.avg_cpu_percent,
    }),
  };
  if (row.is_last !== 1) return [attempt];
  const job: Span = {
    ...common,
    spanId: jobSpan,
    parentSpanId: workflowSpanOf(traceId),
    name: row.job_name,
    ...timesOf({ startedMs: firstMs ?? startedMs, endedMs }),
    attributes: attributesOf({ ...ofJob, 'torc.attempts': row.attempt_id }),
  };
  return [attempt, job];
}

const workflowSpanOf = (traceId: string) => idOf(8, traceId, 'workflow');

/** The span of a run that has ended, the root of its trace. */
export function spanOfRun(workflow: TracedWorkflowRow, counts: Counts, times: SpanTimes): Span {
  const traceId = traceIdOf(workflow, workflow.run_id);
  const [failed, stopped] = [countOf(counts, FAILED), countOf(counts, STOPPED)];
  return {
    traceId,
    spanId: workflowSpanOf(traceId),
    name: workflow.name,
    kind: 1,
    ...timesOf(times),
    attributes: attributesOf({
      'torc.workflow.id': workflow.id,
      'torc.run.id': workflow.run_id,
      'torc.jobs.completed': countOf(counts, SUCCEEDED),
      'torc.jobs.failed': failed,
      'torc.jobs.stopped': stopped,
    }),
    ...(failed + stopped === 0
      ? {}
      : { status: { code: 2, message: `${counted(failed, 'job')} failed, ${stopped} stopped` } }),
  };
}

/** The body of a request with spans. */
export const spansText = (spans: readonly Span[], serviceName: string): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': serviceName, 'service.version': VERSION }) },
        scopeSpans: [{ scope: { name: 'torc', version: VERSION }, spans }],
      },
    ],
  });

const timesOf = ({ startedMs, endedMs }: SpanTimes) => ({
  startTimeUnixNano: `${Math.min(startedMs, endedMs)}000000`,
  endTimeUnixNano: `${endedMs}000000`,
});

const attributesOf = (values: Readonly<Record<string, string | number | null>>): Attribute[] =>
  Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === null) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }];
    return [{ key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
  });
