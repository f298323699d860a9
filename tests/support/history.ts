/** What a job wrote when it began or was about to end. */
export interface Mark {
  readonly what: 'began' | 'ended';
  readonly jobId: number;
  readonly attemptId: number;
  /** The runner, by its mark. */
  readonly runner: string;
  readonly cpus: number;
  readonly gpus: readonly string[];
}

/** A line of the file that all jobs append to: `B job attempt runner cpus gpu,gpu`. */
export function readHistory(text: string): Mark[] {
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [what, job, attempt, runner = '', cpus, gpus = ''] = line.split(' ');
      return {
        what: what === 'B' ? 'began' : 'ended',
        jobId: Number(job),
        attemptId: Number(attempt),
        runner,
        cpus: Number(cpus),
        gpus: gpus === '' ? [] : gpus.split(','),
      };
    });
}

/** What each runner has: no more may be in use there at once. */
export interface Offered {
  readonly cpus: number;
  readonly gpus: number;
}

/**
 * What is wrong with a history, a sentence each; nothing where all is well.
 *
 * An attempt begins once; those that run at one runner at the same time need no more processors than it has, and no device
 * is given to two of them.
 */
export function faultsOf(history: readonly Mark[], offered: Offered): string[] {
  const faults: string[] = [];
  const begun = new Set<string>();
  const running = new Map<string, Map<string, Mark>>();
  for (const mark of history) {
    const { what, jobId, attemptId, runner, cpus, gpus } = mark;
    const attempt = `job ${jobId} attempt ${attemptId}`;
    const here = running.get(runner) ?? new Map<string, Mark>();
    running.set(runner, here);
    if (what === 'ended') {
      here.delete(attempt);
      continue;
    }
    if (begun.has(attempt)) faults.push(`${attempt} began twice`);
    begun.add(attempt);
    for (const other of here.values()) {
      const shared = gpus.filter((gpu) => other.gpus.includes(gpu));
      if (shared.length > 0) faults.push(`${attempt} and job ${other.jobId} have device ${shared.join(',')} at once`);
    }
    here.set(attempt, mark);
    const inUse = [...here.values()].reduce((sum, each) => sum + each.cpus, 0);
    const devices = [...here.values()].reduce((sum, each) => sum + each.gpus.length, 0);
    if (inUse > offered.cpus)
      faults.push(`${inUse} processors of ${offered.cpus} in use at ${runner} when ${attempt} began`);
    if (devices > offered.gpus)
      faults.push(`${devices} devices of ${offered.gpus} in use at ${runner} when ${attempt} began`);
    if (cpus < 1) faults.push(`${attempt} does not say what it needs`);
  }
  return faults;
}
