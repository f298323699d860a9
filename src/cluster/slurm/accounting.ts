import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import { runHelper } from '../exec.ts';
import { outsideAllocation, slurmProgram } from './programs.ts';

/** A row of the accounting: a job or one of its steps. Text as sacct prints it. */
export interface AccountingRow {
  readonly slurm_job_id: string;
  readonly job_step: string;
  readonly state: string;
  readonly exit_code: string;
  readonly elapsed: string;
  readonly max_rss: string;
  readonly cpu_time: string;
  readonly nodes: string;
}

const FIELDS = ['JobID', 'JobName', 'State', 'ExitCode', 'Elapsed', 'MaxRSS', 'CPUTime', 'NodeList', 'NNodes'] as const;
const AT_MOST_MS = 60_000;

export interface Accounting {
  readonly rows: AccountingRow[];
  /** Of the jobs, not of their steps. */
  readonly nodes: number;
  readonly nodeSeconds: number;
  readonly cpuSeconds: number;
}

/** What the accounting has of these jobs, in one call of sacct. */
export async function readAccounting(
  jobIds: readonly number[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Accounting> {
  const args = ['-j', jobIds.join(','), '-P', '-n', '--format', FIELDS.join(',')];
  const options = { atMostMs: AT_MOST_MS, environment: outsideAllocation(environment) };
  return parseAccounting(await runHelper(slurmProgram('sacct', environment), args, options));
}

/** Lines that are cut off are passed over. */
export function parseAccounting(text: string): Accounting {
  const rows: AccountingRow[] = [];
  let [nodes, nodeSeconds, cpuSeconds] = [0, 0, 0];
  for (const line of text.split('\n')) {
    const [id = '', name = '', state = '', exit = '', elapsed = '', rss = '', cpu = '', list = '', count] =
      line.split('|');
    if (count === undefined || !/^\d+/.test(id)) continue;
    const [job = '', step] = id.split('.');
    rows.push({
      slurm_job_id: job,
      job_step: step === undefined ? '' : /^\d+$/.test(step) ? name : step,
      state,
      exit_code: exit,
      elapsed,
      max_rss: rss,
      cpu_time: cpu,
      nodes: list,
    });
    if (step !== undefined) continue;
    nodes += Number(count);
    nodeSeconds += Number(count) * (parseCpuTime(elapsed) ?? 0);
    cpuSeconds += parseCpuTime(cpu) ?? 0;
  }
  return { rows, nodes, nodeSeconds, cpuSeconds };
}
