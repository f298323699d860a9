import { type Attempt, type Kill, killsOf, type RunJob } from './records.ts';

export interface Verdict {
  /** Jobs that are not completed. */
  readonly open: readonly string[];
  /** Completed, but the attempt did not do all its work; or completed without an attempt. */
  readonly falselyDone: readonly string[];
  /** Work that was done again although its end could be known. */
  readonly twice: readonly string[];
  /** Work that was done again because a kill met its end: it could not be known that it was done. */
  readonly unknowable: readonly string[];
  /** Attempts that began while another one of the same job was alive. */
  readonly beside: readonly string[];
}

/** A result that is so much older than a kill must have been reported. */
const KNOWN_MS = 2_000;
/** Jobs of a killed runner live so long at most: Slurm waits between SIGTERM and SIGKILL. */
const LATEST_MS = 15_000;
/** The clock of `sleep` and that of the lines differ by so little. */
const CLOCK_MS = 20;

/** An attempt that did all its work: the last line alone proves nothing, for a script goes on when its child is killed. */
const isWhole = ({ beganMs, doneMs }: Attempt, seconds: number): boolean =>
  doneMs !== undefined && doneMs - beganMs >= seconds * 1000 - CLOCK_MS;

/** Compares what the server says of jobs with the files that they wrote. */
export function judge(jobs: readonly RunJob[], kills: readonly Kill[]): Verdict {
  const verdict = { open: [], falselyDone: [], twice: [], unknowable: [], beside: [] } as {
    -readonly [Part in keyof Verdict]: string[];
  };
  for (const { id, name, status, seconds, attempts: own, completedIn } of jobs) {
    const words = `${name}: ${own.map(wordsOf).join('; ') || 'no attempt'}`;
    if (status !== 'completed') verdict.open.push(`${name} is ${status}`);
    else if (completedIn.length === 0) verdict.falselyDone.push(`${words}; completed without a result`);
    if (completedIn.length > 1) verdict.twice.push(`${words}; completed ${completedIn.length} times`);
    const whole = own.filter((each) => isWhole(each, seconds));
    for (const { run, attempt } of completedIn)
      if (!whole.some((each) => each.run === run && each.attempt === attempt))
        verdict.falselyDone.push(`${words}; completed in run ${run}, attempt ${attempt}, but needs ${seconds} s`);
    for (const each of whole.slice(0, -1)) {
      const doneMs = each.doneMs as number;
      const kill = killsOf(each, id, kills).find(
        ({ fromMs, untilMs }) => doneMs >= fromMs - KNOWN_MS && doneMs <= untilMs + LATEST_MS,
      );
      const distance = kill === undefined ? '' : `; done ${Math.round(doneMs - kill.fromMs)} ms after the kill`;
      verdict[kill === undefined ? 'twice' : 'unknowable'].push(words + distance);
    }
    if (own.some(({ isBeside }) => isBeside)) verdict.beside.push(words);
  }
  return verdict;
}

const wordsOf = ({ run, attempt, allocation, beganMs, doneMs }: Attempt): string =>
  `run ${run}, attempt ${attempt} in Slurm job ${allocation}, ${new Date(beganMs).toISOString().slice(11, 21)} ${
    doneMs === undefined ? 'without an end' : `for ${((doneMs - beganMs) / 1000).toFixed(1)} s`
  }`;
