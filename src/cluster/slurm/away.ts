import { HelperFailed } from '../helper-failed.ts';

/** The words of a controller that is away or busy. Source: sbatch(1), slurm_errno.h. */
const AWAY =
  /unable to contact slurm controller|unexpected message received|i\/o error writing script|socket timed out|temporarily unable|connection (refused|reset)|connect failure|zero bytes were transmitted|resource temporarily unavailable/i;

export const isAway = (words: string): boolean => AWAY.test(words);

interface Patience {
  readonly wait: (ms: number) => Promise<void>;
  /** Called once, when the controller is away for the first time. */
  readonly onAway: (words: string) => void;
}

/** A restart of a controller takes up to a minute, a failover up to five. */
const TRIES = 60;
const RETRY_MS = 5000;

/**
 * Asks the controller again for five minutes while it is away: an allocation was waited for, and must not be lost to a
 * restart of the controller. Every other failure is thrown at once.
 */
export async function whileAway<T>(ask: () => Promise<T>, { wait, onAway }: Patience): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const isOver = !(error instanceof HelperFailed) || attempt === TRIES;
      if (isOver || !(error.isLate || isAway(error.stderr))) throw error;
      if (attempt === 1) onAway(error.message);
      await wait(RETRY_MS);
    }
  }
}
