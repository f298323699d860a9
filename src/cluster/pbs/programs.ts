import { MARK_VARIABLE, OUTER_MARKS_VARIABLE } from '../../core/attempt/belongs-to.ts';
import { type OnSlow, saidIfSlow } from '../batch/slow.ts';
import { runToEnd } from '../exec.ts';
import { endOfWords, HelperFailed } from '../helper-failed.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type PbsProgram = 'qsub' | 'qstat' | 'qselect' | 'qdel' | 'qhold' | 'qrls' | 'pbsnodes';

/** What a program of PBS said. Its exit code is an error number of PBS modulo 256. */
export interface PbsAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of PBS. Throws `HelperFailed` if it cannot be started, takes too long, or prints too much; an error of PBS is an answer. */
export type AskPbs = (program: PbsProgram, args: readonly string[], atMostMs?: number) => Promise<PbsAnswer>;

const MARKS: ReadonlySet<string> = new Set([MARK_VARIABLE, OUTER_MARKS_VARIABLE]);

/** Where PBS is. All other variables with this prefix describe the job in which this process runs, or change how scripts are read. */
const WHERE: ReadonlySet<string> = new Set(['PBS_CONF_FILE', 'PBS_SERVER', 'PBS_EXEC', 'PBS_HOME', 'PBS_PRIMARY']);

/** The variables of a process outside of its PBS job, and without the marks of runners, to whose jobs it does not belong. */
const outsidePbsJob = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => WHERE.has(name) || !(MARKS.has(name) || name.startsWith('PBS_'))),
  );

// Clients of a server that hangs wait without end.
const AT_MOST_MS = 60_000;

export function askPbs(environment: Environment, mostMs = AT_MOST_MS, onSlow?: OnSlow): AskPbs {
  // Times are printed in the time zone of the client, which repeats an hour in autumn.
  const own = { ...outsidePbsJob(environment), TZ: 'UTC' };
  return async (program, args, givenMs = mostMs) => {
    const atMostMs = Math.min(givenMs, mostMs);
    const running = runToEnd(program, args, { atMostMs, environment: own });
    const { code, signal, stdout, stderr, isLate, isTooMuch } = await saidIfSlow(running, {
      program,
      atMostMs,
      onSlow,
    });
    if (code !== null && !isLate && !isTooMuch) return { code, stdout, stderr };
    const how = isTooMuch
      ? 'it was killed because it printed too much'
      : isLate
        ? `it was killed after ${atMostMs / 1000} s, its time limit`
        : `it ended with ${signal}`;
    const words = stderr.trim();
    throw new HelperFailed(`${program}: ${how}${words === '' ? '' : `: ${endOfWords(words)}`}`, {
      isLate: isLate || isTooMuch,
      signal: signal ?? undefined,
      stderr: words,
    });
  };
}

/** The standard output of an answer. Throws `HelperFailed` for an error of PBS. */
export function printed(program: PbsProgram, { code, stdout, stderr }: PbsAnswer): string {
  if (code === 0) return stdout;
  throw failed(program, { code, stdout, stderr });
}

/** An error of PBS, in its words. */
export const failed = (program: PbsProgram, { code, stderr }: PbsAnswer): HelperFailed => {
  const words = stderr.trim();
  const how = words === '' ? `it ended with exit code ${code}` : endOfWords(words);
  return new HelperFailed(`${program}: ${how.replaceAll(`${program}: `, '')}`, { stderr: words });
};

/** The words of a server that is away or starts. Source: pbs_error.h, and what clients print. */
export const isPbsAway = (words: string): boolean =>
  /cannot connect to server|connection refused|errno=15010|server is not active|Timed?[ _]?out|invalid credential|communication failure/i.test(
    words,
  );
