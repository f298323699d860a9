import { amountOf } from '../../../core/contract/sonar/amounts.ts';
import { exactUint } from '../../../core/contract/sonar/extended-uint.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { JobHour } from '../rows/hours.ts';
import { TOTAL_COLUMNS } from './hour-queries.ts';
import type { PgRow } from './library.ts';
import type { NamesById } from './names-by-id.ts';

/** The totals of jobs from the row of `JOB_TOTALS`, which has a list for each column. */
export async function totalsOf(row: PgRow, cluster: string, names: NamesById): Promise<JobHour[]> {
  const lists = Object.fromEntries(
    TOTAL_COLUMNS.map((name) => [name, JSON.parse(String(row[name] ?? '[]')) as unknown]),
  );
  const numbers = (name: string) => lists[name] as readonly number[];
  const integers = (name: string) => lists[name] as readonly (number | string)[];
  const [node, user, cmd] = [numbers('node'), numbers('user'), numbers('cmd')];
  const found = await names.of({ node, user, cmd });
  const [job, epoch] = [integers('job'), integers('epoch')];
  const cards = lists['cards'] as readonly string[];
  const [time, first, last, samples] = [numbers('time'), numbers('first'), numbers('last'), numbers('samples')];
  const [processes, cpuSeconds, peakCpu] = [numbers('processes'), numbers('cpu_seconds'), numbers('peak_cpu_percent')];
  const [memory, peakMemory] = [numbers('memory_kb'), numbers('peak_memory_kb')];
  const [gpu, peakGpuMemory] = [numbers('gpu_percent'), numbers('peak_gpu_memory_kb')];
  return time.map((each, index) => ({
    cluster,
    node: found.node.get(node[index] ?? 0) ?? '',
    user: found.user.get(user[index] ?? 0) ?? '',
    cmd: found.cmd.get(cmd[index] ?? 0) ?? '',
    job: unsigned(job[index] ?? 0),
    epoch: unsigned(epoch[index] ?? 0),
    time: each,
    first: first[index] ?? 0,
    last: last[index] ?? 0,
    samples: samples[index] ?? 0,
    processes: processes[index] ?? 0,
    cpuSeconds: amountOf(cpuSeconds[index] ?? 0),
    peakCpuPercent: peakCpu[index] ?? 0,
    memoryKb: amountOf(memory[index] ?? 0),
    peakMemoryKb: amountOf(peakMemory[index] ?? 0),
    gpuPercent: gpu[index] ?? 0,
    peakGpuMemoryKb: amountOf(peakGpuMemory[index] ?? 0),
    cards: cards[index] ?? '',
  }));
}

/** An unsigned integer of 64 bits that is stored as a signed one. */
const unsigned = (stored: number | string): Uint =>
  typeof stored === 'number' ? stored : exactUint(BigInt.asUintN(64, BigInt(stored)));
