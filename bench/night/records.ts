/** What is known of a run, from the jobs themselves, from Slurm's accounting and from the killer. */

/** One execution of a job, by the lines that it wrote to its file. */
export interface Attempt {
  readonly job: string;
  readonly run: number;
  readonly attempt: number;
  /** The Slurm job in which it ran. */
  readonly allocation: number;
  readonly beganMs: number;
  /** When it wrote its last line; undefined if it never did. */
  readonly doneMs: number | undefined;
  /** Processes of another attempt of the job were alive when it began. */
  readonly isBeside: boolean;
}

/** A job: its work, what it wrote, and what the server says of it. */
export interface RunJob {
  readonly id: number;
  readonly name: string;
  readonly seconds: number;
  readonly dependsOn: readonly string[];
  readonly attempts: readonly Attempt[];
  readonly status: string;
  /** The attempts that the server has as completed. */
  readonly completedIn: readonly Pick<Attempt, 'run' | 'attempt'>[];
}

/** One run of a Slurm job, as the accounting has it. */
export interface Allocation {
  readonly id: number;
  readonly cpus: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly state: string;
}

export const VICTIMS = ['runner', 'srun', 'slurmd', 'slurmctld', 'node'] as const;
export type Victim = (typeof VICTIMS)[number];

/** One kill, and whose work it ended. */
export interface Kill {
  readonly victim: Victim;
  readonly fromMs: number;
  /** The victim was dead at this time. */
  readonly untilMs: number;
  /** Slurm jobs whose work it ended; none where a daemon of Slurm was restarted. */
  readonly allocations: readonly number[];
  /** The only attempt that it ended, where jobs are steps of their own. */
  readonly step?: { readonly jobId: number; readonly run: number; readonly attempt: number } | undefined;
  /** Its allocations do no work from then on. */
  readonly endsAllocation: boolean;
}

/**
 * The attempts in the file of one job. A line is `begin`, `beside` or `done`, and the run, the attempt, the Slurm job and the time in
 * seconds. The last line of an attempt that never began is dropped.
 */
export function attemptsOf(job: string, text: string): Attempt[] {
  const attempts: Attempt[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const [word, ...numbers] = line.split(' ');
    const [run = 0, attempt = 0, allocation = 0, seconds = 0] = numbers.map(Number);
    const timeMs = seconds * 1000;
    if (word !== 'done') {
      const isBeside = word === 'beside';
      attempts.push({ job, run, attempt, allocation, beganMs: timeMs, doneMs: undefined, isBeside });
      continue;
    }
    const at = attempts.findLastIndex((each) => each.run === run && each.attempt === attempt);
    const begun = attempts[at];
    if (begun !== undefined) attempts[at] = { ...begun, doneMs: timeMs };
  }
  return attempts;
}

/** The rows of `sacct -X -D -n -P --format JobIDRaw,AllocCPUS,Start,End,State` with times in Unix seconds, of those that started and ended. */
export const allocationsOf = (rows: string): Allocation[] =>
  rows
    .split('\n')
    .filter(Boolean)
    .map((row) => row.split('|'))
    .filter(([, , start, end]) => Number(start) > 0 && Number(end) > 0)
    .map(([id, cpus, start, end, state = '']) => ({
      id: Number(id),
      cpus: Number(cpus),
      startMs: Number(start) * 1000,
      endMs: Number(end) * 1000,
      state,
    }));

/** The kills that hit the allocation of an attempt after it began, or its own step. */
export const killsOf = (
  { run, attempt, allocation, beganMs }: Attempt,
  jobId: number,
  kills: readonly Kill[],
): readonly Kill[] =>
  kills.filter(
    ({ allocations, step, untilMs }) =>
      allocations.includes(allocation) &&
      untilMs >= beganMs &&
      (step === undefined || (step.jobId === jobId && step.run === run && step.attempt === attempt)),
  );
