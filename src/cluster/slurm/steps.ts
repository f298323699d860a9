import { parseSlurmMemory } from '../../core/quantity/bytes.ts';
import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import { runHelper } from '../exec.ts';
import { type SlurmProgram, slurmProgram } from './programs.ts';

/** The steps of one allocation, as Slurm's programs show them. Every call throws `HelperFailed`. */
export interface AllocationSteps {
  /** The running steps: their names with their ids, such as `12.3`. */
  ids(): Promise<ReadonlyMap<string, string>>;
  /** The present use of the running steps, by id. */
  uses(): Promise<ReadonlyMap<string, StepFigures>>;
  /** What the accounting has of the steps so far, by name. A step may be missing for some time. */
  accounted(): Promise<ReadonlyMap<string, AccountedStep>>;
  /** Sends a signal to steps, by their ids. Those that have ended are no error. */
  signal(ids: readonly string[], signal: string): Promise<void>;
}

export interface StepFigures {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** A row of the accounting. A figure that was not measured is undefined: most are, of steps that end within a few seconds. */
export interface AccountedStep {
  /** Slurm's word, without what follows it: `COMPLETED`, `CANCELLED`. Empty if the row has none. */
  readonly state: string;
  /** Somebody canceled this step, and not its allocation: their user id. */
  readonly canceledBy?: string | undefined;
  readonly maxRssBytes: number | undefined;
  readonly maxVmSizeBytes: number | undefined;
  readonly maxDiskReadBytes: number | undefined;
  readonly maxDiskWriteBytes: number | undefined;
  readonly aveCpuSeconds: number | undefined;
  /** What the kernel told at the end of its tasks, of them and of all that they waited for; the mean is that of the last poll. */
  readonly totalCpuSeconds?: number | undefined;
  readonly nodeList: string | undefined;
}

/** States in which a row of the accounting may still change. */
const PASSING = new Set(['', 'PENDING', 'RUNNING', 'COMPLETING', 'SUSPENDED', 'RESIZING']);

export const isFinal = ({ state }: Pick<AccountedStep, 'state'>): boolean => !PASSING.has(state);

type Environment = Readonly<Record<string, string | undefined>>;

// The programs themselves give up on a daemon that is away after 9 to 18 s.
const AT_MOST_MS = 20_000;

const SACCT_FIELDS = 'JobName,MaxRSS,MaxVMSize,MaxDiskRead,MaxDiskWrite,AveCPU,NodeList,State,TotalCPU';

export function stepsOfAllocation(jobId: number, environment: Environment): AllocationSteps {
  const id = String(jobId);
  const run = (program: SlurmProgram, args: readonly string[]) =>
    runHelper(slurmProgram(program, environment), args, { atMostMs: AT_MOST_MS, environment });
  return {
    ids: async () => parseStepIds(await run('squeue', ['--steps', '-h', '-j', id, '-o', '%i|%j']), jobId),
    uses: async () => parseUses(await run('sstat', ['-a', '-j', id, '--format', 'JobID,AveCPU,MaxRSS', '-P', '-n'])),
    accounted: async () => parseAccounted(await run('sacct', ['-j', id, '--format', SACCT_FIELDS, '-P', '-n'])),
    async signal(ids, signal) {
      if (ids.length > 0) await run('scancel', ['-s', signal.replace(/^SIG/, ''), ...ids]);
    },
  };
}

/**
 * The lines of `squeue --steps -o "%i|%j"`: `12.3|wf1_j2_r3_a4`, or `10_2.3|wf1_j2_r3_a4` in a job array. sstat and scancel
 * name the step of a task by the id of its job, as in `12.3`.
 *
 * One task of an array has the id of the array, and squeue lists the steps of all tasks then. Names of steps are unique,
 * so those of other tasks are never looked up.
 */
export function parseStepIds(text: string, jobId: number): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\s*\d+(?:_\d+)?\.(\d+)\|(.+)$/.exec(line);
    if (match !== null) ids.set((match[2] as string).trim(), `${jobId}.${match[1]}`);
  }
  return ids;
}

/** The lines of `sstat -P -n --format JobID,AveCPU,MaxRSS`. Lines that are cut off are passed over. */
export function parseUses(text: string): ReadonlyMap<string, StepFigures> {
  const uses = new Map<string, StepFigures>();
  for (const line of text.split('\n')) {
    const [id, cpu, memory] = line.trim().split('|');
    if (id === undefined || cpu === undefined || memory === undefined || !/^\d+\.\d+$/.test(id)) continue;
    const cpuSeconds = figureIn(cpu, parseCpuTime);
    const memoryBytes = figureIn(memory, parseSlurmMemory);
    if (cpuSeconds !== undefined && memoryBytes !== undefined) uses.set(id, { cpuSeconds, memoryBytes });
  }
  return uses;
}

/**
 * The rows of `sacct -P -n` with our fields, by the name of the step. Torc 1.0.0 accepts rows without a State as well.
 *
 * The later row wins: a requeued job has the rows of its earlier runs first.
 */
export function parseAccounted(text: string): ReadonlyMap<string, AccountedStep> {
  const rows = new Map<string, AccountedStep>();
  for (const line of text.split('\n')) {
    const [name, rss, vm, read, written, cpu, nodes, state = '', total] = line.trim().split('|');
    if (name === undefined || name === '' || nodes === undefined) continue;
    rows.set(name, {
      state: state.split(' ')[0] ?? '',
      canceledBy: /^CANCELLED by (\d+)/.exec(state)?.[1],
      maxRssBytes: figureIn(rss, parseSlurmMemory),
      maxVmSizeBytes: figureIn(vm, parseSlurmMemory),
      maxDiskReadBytes: figureIn(read, parseSlurmMemory),
      maxDiskWriteBytes: figureIn(written, parseSlurmMemory),
      aveCpuSeconds: figureIn(cpu, parseCpuTime),
      totalCpuSeconds: figureIn(total, parseCpuTime),
      nodeList: nodes === '' ? undefined : nodes,
    });
  }
  return rows;
}

/** Slurm may print a word where a figure is missing; one such field must not cost the others. */
function figureIn(text: string | undefined, parse: (text: string) => number | undefined): number | undefined {
  try {
    return parse(text ?? '');
  } catch {
    return undefined;
  }
}
