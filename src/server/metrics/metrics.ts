import { statSync } from 'node:fs';
import { VERSION } from '../../core/contract/version.ts';
import type { Store } from '../records/store.ts';
import { createAttemptCounts, metric, type Metric, runnerMetrics, workMetrics } from './figures.ts';
import { metricsQueries } from './queries.ts';

export interface MetricsOptions {
  readonly store: Pick<Store, 'db' | 'turns'>;
  /** Path of the database, or `:memory:`. */
  readonly database: string;
  /** Requests and bytes since the server started; those by status have keys such as `2xx`. */
  readonly traffic: () => Readonly<Record<'in' | 'out' | (typeof CODES)[number], number>>;
  /** Milliseconds of a clock that is never set. */
  readonly clock?: () => number;
}

const CODES = ['2xx', '4xx', '5xx', 'other'] as const;

/**
 * A scrape that took 10 ms is repeated after 200 ms at the earliest: until then its text is given again. So those who ask cost
 * the server a twentieth of its time at most, however many they are.
 */
const SHARE = 20;

/**
 * The metrics of a server in the text format of Prometheus.
 *
 * Nothing is counted where it happens: the counts of jobs are those that the store keeps, the ends of attempts are read from
 * the results that were added since the last scrape. A server that is not scraped pays nothing.
 * Source: "Text-based format" 0.0.4, Prometheus documentation.
 */
export function createMetrics({
  store,
  database,
  traffic,
  clock = () => performance.now(),
}: MetricsOptions): () => string {
  const queries = metricsQueries(store.db);
  const endedAttempts = createAttemptCounts(queries);
  let kept = { text: '', untilMs: -Infinity };
  const metrics = (): Metric[] => [
    metric('gauge', 'torc_build_info', 'The version of the server.', [[1, { version: VERSION }]]),
    ...workMetrics(queries.counts.all({})),
    ...runnerMetrics(queries),
    ...endedAttempts(),
    ...requestMetrics(traffic()),
    metric('gauge', 'torc_writes_waiting', 'Requests that wait for the next commit.', [[store.turns.waiting]]),
    metric('gauge', 'torc_database_bytes', 'Size of the database, and of its write-ahead log.', [
      [queries.bytes.get({})?.bytes ?? 0, { file: 'database' }],
      [statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0, { file: 'log' }],
    ]),
    ...processMetrics(),
  ];
  return () => {
    const begun = clock();
    if (begun < kept.untilMs) return kept.text;
    const read = metrics();
    const took = clock() - begun;
    const cost = metric('gauge', 'torc_metrics_seconds', 'Time that the server took to read these figures.', [
      [took / 1000],
    ]);
    kept = { text: metricsText([...read, cost]), untilMs: begun + took * SHARE };
    return kept.text;
  };
}

function requestMetrics(sums: ReturnType<MetricsOptions['traffic']>): Metric[] {
  return [
    metric(
      'counter',
      'torc_http_requests_total',
      'Replies by the class of their status.',
      CODES.map((code) => [sums[code], { code }]),
    ),
    metric('counter', 'torc_http_received_bytes_total', 'Bytes of bodies that were received.', [[sums.in]]),
    metric('counter', 'torc_http_sent_bytes_total', 'Bytes that were sent.', [[sums.out]]),
  ];
}

/** With the names that every program has for these. */
function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
  const started = (performance.timeOrigin / 1000).toFixed(3);
  const busyMs = performance.eventLoopUtilization().active;
  return [
    metric('counter', 'torc_event_loop_busy_seconds_total', 'Time that the main thread of the server was busy.', [
      [busyMs / 1000],
    ]),
    metric('counter', 'process_cpu_seconds_total', 'CPU time of the server, all threads.', [[(user + system) / 1e6]]),
    metric('gauge', 'process_resident_memory_bytes', 'Memory of the server.', [[process.memoryUsage.rss()]]),
    metric('gauge', 'process_start_time_seconds', 'Start of the server, in Unix seconds.', [[Number(started)]]),
  ];
}

/** The text of metrics: of each what it is, its kind, and a line for each value. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, kind, says, values }) => [
    `# HELP ${name} ${says}`,
    `# TYPE ${name} ${kind}`,
    ...values.map(([value, labels = {}]) => `${name}${labelsText(labels)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
