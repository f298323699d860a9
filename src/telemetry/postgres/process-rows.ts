import type { SampleJob, SampleProcess } from '../../core/contract/sonar/sample.ts';
import { toInteger } from '../store/numbers.ts';
import { columnsOf, type RowWriter } from './row-writer.ts';
import { float, type IdsOf, type SampleTable, type StoredSample } from './rows.ts';

const columns = {
  ...columnsOf('int8', 'time envelope'),
  ...columnsOf('int4', 'cluster node slot ord'),
  ...columnsOf('int8', 'job epoch'),
  ...columnsOf('int4', '"user" cmd'),
  ...columnsOf('int8', 'pid ppid rss vm threads'),
  ...columnsOf('float8', 'cpu_avg cpu_util'),
  ...columnsOf('int8', 'cpu_time data_read data_written data_cancelled rolledup'),
  ...columnsOf('bool', 'container'),
};
const COUNT = Object.keys(columns).length;

/**
 * The processes of a sample, and one row without a process for an entry that has none. Most rows of a store are these: their
 * values go to the writer one by one, and no list is made of them.
 */
export const processTable: SampleTable = {
  columns,
  has: ({ jobs = [] }) => jobs.length > 0,
  write: (out, stored, ids) => {
    for (const [slot, job] of (stored.sample.jobs ?? []).entries()) {
      const { processes = [] } = job;
      if (processes.length === 0) writeProcess(out, stored, slot, job, null, {}, ids);
      for (const [ord, each] of processes.entries()) writeProcess(out, stored, slot, job, ord, each, ids);
    }
  },
};

function writeProcess(
  out: RowWriter,
  { time, envelope, cluster, node }: StoredSample,
  slot: number,
  { job, epoch, user }: SampleJob,
  ord: number | null,
  each: SampleProcess,
  ids: IdsOf,
): void {
  out.row(COUNT);
  out.int8(time);
  out.int8(envelope);
  out.int4(cluster);
  out.int4(node);
  out.int4(slot);
  out.int4(ord);
  out.int8(toInteger(job) ?? 0);
  out.int8(toInteger(epoch) ?? 0);
  out.int4(ids.user.get(user) ?? 0);
  out.int4(each.cmd === undefined || each.cmd === '' ? null : (ids.cmd.get(each.cmd) ?? 0));
  out.int8(toInteger(each.pid));
  out.int8(toInteger(each.ppid));
  out.int8(toInteger(each.resident_memory));
  out.int8(toInteger(each.virtual_memory));
  out.int8(toInteger(each.num_threads));
  out.float8(float(each.cpu_avg));
  out.float8(float(each.cpu_util));
  out.int8(toInteger(each.cpu_time));
  out.int8(toInteger(each.data_read));
  out.int8(toInteger(each.data_written));
  out.int8(toInteger(each.data_cancelled));
  out.int8(toInteger(each.rolledup));
  out.bool(each.in_container === true ? true : null);
}
