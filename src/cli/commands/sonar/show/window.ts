import { formatTimestamp } from '../../../../core/contract/sonar/timestamp.ts';
import { printable } from '../../../../core/text/printable.ts';
import { asPlainData } from '../../../../telemetry/answers.ts';
import { hourlySpan } from '../../../../telemetry/questions/hourly-span.ts';
import type { TelemetryRows, AskedWindow } from '../../../../telemetry/store/rows/rows.ts';
import { UsageError } from '../../../command/failure.ts';
import { option, optionsOf } from '../../../command/option.ts';
import type { Output } from '../../../output/output.ts';
import type { Column } from '../../../output/table.ts';
import { DAY } from '../../../samples/intervals.ts';
import { sampleTimeText } from '../../../samples/columns.ts';
import { requireCluster } from '../known-cluster.ts';
import { readTime } from '../read-time.ts';
import { storeOption, withStore } from '../store.ts';
import { suggest } from '../../../../core/workflow-file/problems/suggest.ts';
import type { TelemetryStore } from '../../../../telemetry/store/telemetry-store.ts';

const clusterOption = option('--cluster <name>', 'only of this cluster');
export const nodeOption = option('--node <name>', 'only of this node; its first label is enough');
export const windowOptions = optionsOf([
  storeOption,
  clusterOption,
  option('--from <time>', 'from this time on, such as 2026-03-01 or 2h (default: 1d)', { read: readTime }),
  option('--to <time>', 'before this time (default: now)', { read: readTime }),
]);

export interface WindowValues {
  readonly store: string;
  readonly cluster?: string | undefined;
  readonly node?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Asks the store a question about a window. */
export async function ask<Answer>(
  { store, cluster, node, from, to }: WindowValues,
  question: (rows: TelemetryRows, window: AskedWindow) => Answer | Promise<Answer>,
  ago = DAY,
): Promise<Answer> {
  // The clock of a node may be ahead of ours.
  const until = to ?? Math.floor(Date.now() / 1000) + 60;
  const window = { cluster, node, from: from ?? until - ago, until };
  if (window.from >= until) throw new UsageError('--from: expected a time before --to');
  return withStore(store, { isReadOnly: true }, async (opened) => {
    const { rows } = opened;
    await requireCluster(rows, cluster);
    const answer = await question(rows, window);
    if (Array.isArray(answer) && answer.length === 0) {
      const help = await nothingFound(opened, window);
      if (help !== undefined) process.stderr.write(`${printable(help)}\n`);
    }
    const hourly = await hourlySpan(rows, window);
    if (hourly !== undefined)
      process.stderr.write(
        `From ${sampleTimeText(hourly.from)} to ${sampleTimeText(hourly.until)} the samples are deleted: figures are of hours\n`,
      );
    return answer;
  });
}

export function print<Row extends object>(
  output: Output,
  things: string,
  items: readonly Row[],
  columns: readonly Column<Row>[],
  title?: string,
  more: object = {},
): void {
  const clusters = new Set(items.map((item) => (item as { readonly cluster?: string }).cluster ?? ''));
  const cluster: Column<Row> = {
    title: 'Cluster',
    value: (item) => (item as { readonly cluster?: string }).cluster ?? '',
    importance: 6,
  };
  output.list({
    items,
    // One cluster is the usual case.
    columns: clusters.size > 1 ? [cluster, ...columns] : columns,
    things,
    empty: `No ${things} between --from (default: a day ago) and --to (default: now)`,
    ...(title === undefined ? {} : { title }),
    json: { ...more, items: items.map(asPlainData) },
  });
}

/** Of any clock: the last time that fits into 32 bits. */
const LAST_TIME = 2 ** 31 - 1;

/** What helps where a question found nothing: the node is not known, or the data are of another time. */
async function nothingFound(store: TelemetryStore, { cluster, node, from }: AskedWindow): Promise<string | undefined> {
  if (node !== undefined) {
    const all = await store.rows.sysinfo({ cluster, node: undefined, from: 0, until: LAST_TIME });
    const names = all.map(({ node: name }) => name);
    if (!names.some((name) => name === node || name.startsWith(`${node}.`))) {
      const near = suggest(node, names);
      return `The store has no node ${node}; ${near === undefined ? 'torc sonar show nodes --from 10w names its nodes' : `did you mean ${near}?`}`;
    }
  }
  const clusters = (await store.clusters()).filter(({ name }) => cluster === undefined || name === cluster);
  const newest = clusters.reduce((latest, each) => Math.max(latest, each.newest ?? 0), 0);
  if (newest === 0) return 'The store has no data yet: torc sonar ingest stores files';
  if (newest >= from) return undefined;
  const text = formatTimestamp(newest);
  return `The newest data are of ${text.slice(0, 16).replace('T', ' ')}: --from ${text.slice(0, 10)} shows them`;
}
