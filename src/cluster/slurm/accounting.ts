import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { parseSlurmMemory } from '../../core/quantity/bytes.ts';
import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import { runHelper } from '../exec.ts';
import { outsideAllocation, slurmProgram } from './programs.ts';

/** A step in the accounting, or a job that has none. */
export interface AccountingRow {
  readonly jobId: string;
  /** The name of the step, `batch`, or the name of the job. */
  readonly step: string;
  /** Without who canceled it. */
  readonly state: string;
  readonly exitCode: string;
  readonly elapsedSeconds: number;
  readonly maxRssBytes: number | undefined;
  /** That its processes used. */
  readonly cpuSeconds: number;
  readonly nodes: string;
}

const FIELDS = [
  'JobIDRaw',
  'JobName',
  'State',
  'ExitCode',
  'Elapsed',
  'MaxRSS',
  'TotalCPU',
  'NodeList',
  'NNodes',
] as const;
const AT_MOST_MS = 60_000;

export interface Accounting {
  readonly rows: AccountingRow[];
  /** Of the jobs, not of their steps. */
  readonly nodes: number;
  readonly nodeSeconds: number;
  readonly cpuSeconds: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the accounting has of these jobs, in one call of sacct. */
export async function readAccounting(jobIds: readonly SlurmJob[], environment: Environment): Promise<Accounting> {
  return parseAccounting(await sacct(['-j', jobIds.join(','), '-P', '-n', '--format', FIELDS.join(',')], environment));
}

/** All that the accounting has of a job, as JSON of sacct. */
export const accountingJson = (jobId: SlurmJob, environment: Environment): Promise<string> =>
  sacct(['-j', String(jobId), '--json'], environment);

const sacct = (args: readonly string[], environment: Environment): Promise<string> =>
  runHelper(slurmProgram('sacct', environment), [...args], {
    atMostMs: AT_MOST_MS,
    environment: outsideAllocation(environment),
  });

/** Lines that are cut off are passed over. */
export function parseAccounting(text: string): Accounting {
  const rows = new Map<string, { job: AccountingRow | undefined; steps: AccountingRow[] }>();
  let [nodes, nodeSeconds, cpuSeconds] = [0, 0, 0];
  for (const line of text.split('\n')) {
    const [id = '', name = '', state = '', exitCode = '', elapsed = '', rss = '', cpu = '', list = '', count] =
      line.split('|');
    if (count === undefined || !/^\d+/.test(id)) continue;
    const [jobId = '', step] = id.split('.');
    const row: AccountingRow = {
      jobId,
      step: step === undefined || /^\d+$/.test(step) ? name : step,
      state: state.replace(/ by \d+$/, ''),
      exitCode,
      elapsedSeconds: parseCpuTime(elapsed) ?? 0,
      maxRssBytes: parseSlurmMemory(rss),
      cpuSeconds: parseCpuTime(cpu) ?? 0,
      nodes: list,
    };
    const known = rows.get(jobId) ?? { job: undefined, steps: [] };
    rows.set(jobId, known);
    if (step !== undefined) {
      known.steps.push(row);
      continue;
    }
    known.job = row;
    nodes += Number(count);
    nodeSeconds += Number(count) * row.elapsedSeconds;
    cpuSeconds += row.cpuSeconds;
  }
  const shown = [...rows.values()].flatMap(({ job, steps }) => (steps.length > 0 ? steps : (job ?? [])));
  return { rows: shown, nodes, nodeSeconds, cpuSeconds };
}
