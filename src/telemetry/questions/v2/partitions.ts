import { sumOf } from '../../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { firstLabelOf } from '../../../core/contract/sonar/node-range.ts';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { coresOf } from '../nodes.ts';
import type { SlurmJobRow } from '../../store/rows/records.ts';
import type { V2Request } from './request.ts';
import { jobResponse } from './jobs.ts';
import { expanded, recordOf } from './names.ts';
import { eachOf } from './node-series.ts';
import { allocatedBy, untilOf } from './nodes.ts';

/** Jobs that wait or run: a site has fewer. */
const MOST_LIVING = 100_000;
const IN_USE_SECONDS = 300;

/** The partitions of a cluster with what waits and runs in them. Other users' jobs count, but are not listed. */
export async function partitionsOf(asked: V2Request) {
  const { store, cluster, now, onlyUser } = asked;
  const until = untilOf(asked);
  const record = await recordOf(asked, until);
  if (record === undefined) return [];
  const { jobs: living } = await store.rows.selectedJobs(cluster, {
    states: ['PENDING', 'RUNNING'],
    submitBefore: until,
    now,
    offset: 0,
    limit: MOST_LIVING,
  });
  const hardware = new Map<string, { cpus: Uint; cards: number }>();
  for (const { node, info } of await store.rows.sysinfo({ cluster, from: 0, until })) {
    const cards = ((info['cards'] ?? []) as readonly unknown[]).length;
    hardware.set(firstLabelOf(node), {
      cpus: coresOf(info),
      cards,
    });
  }
  const cards = new Map<string, Set<string>>();
  await eachOf(store.rows.processCards({ cluster, from: until - IN_USE_SECONDS, until }), ({ node, uuid }) =>
    cards.set(firstLabelOf(node), (cards.get(firstLabelOf(node)) ?? new Set()).add(uuid)),
  );
  const isVisible = ({ user }: SlurmJobRow) => onlyUser === undefined || user === onlyUser;
  return (record.partitions ?? []).map(({ name, nodes: ranges = [] }) => {
    const nodes = expanded(ranges);
    // A pending job may name several partitions: it waits in each.
    const own = living.filter(({ partition }) => partition.split(',').includes(name));
    const pending = own.filter(({ state }) => state === 'PENDING');
    const running = own.filter(({ state }) => state === 'RUNNING');
    const oldest = pending.reduce<number | undefined>(
      (least, { submit }) => (submit !== undefined && (least === undefined || submit < least) ? submit : least),
      undefined,
    );
    const newest = running
      .filter(({ start, submit }) => start !== undefined && submit !== undefined)
      .toSorted((one, other) => (other.start ?? 0) - (one.start ?? 0))[0];
    const sum = (value: (facts: { cpus: Uint; cards: number }) => Uint) =>
      sumOf(nodes, (node) => value(hardware.get(firstLabelOf(node)) ?? { cpus: 0, cards: 0 }));
    return {
      time: formatTimestamp(record.time),
      cluster,
      name,
      nodes,
      nodes_compact: ranges,
      jobs_pending: pending.filter(isVisible).map((row) => jobResponse(row)),
      jobs_running: running.filter(isVisible).map((row) => jobResponse(row)),
      // A number where nothing waits, as slurm-monitor answers: clients subtract it from now.
      pending_max_submit_time: oldest === undefined ? 0 : formatTimestamp(oldest),
      running_latest_wait_time: newest === undefined ? 0 : Math.max(0, (newest.start ?? 0) - (newest.submit ?? 0)),
      total_cpus: sum(({ cpus }) => cpus),
      total_gpus: sum((facts) => facts.cards),
      gpus_reserved: [...allocatedBy(running).values()].reduce((total, { gpu }) => total + gpu, 0),
      gpus_in_use: [...new Set(nodes.flatMap((node) => [...(cards.get(firstLabelOf(node)) ?? [])]))],
    };
  });
}
