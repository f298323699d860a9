import { isAway } from '../../cluster/slurm/away.ts';

/** With a pause of five seconds after each round this is a minute. */
const MOST_ROUNDS = 12;

/**
 * Steps that are refused one after the other, by Slurm or by a launcher of ours, and none that starts between them.
 *
 * Steps that are started together are refused together, so rounds are counted. A controller that is away refuses nothing.
 */
export function createRefusals(mostRounds = MOST_ROUNDS) {
  let rounds = 0;
  let isCounted = false;
  return {
    /** A step was refused. The reason to stop, if too many were. */
    refused(reason: string): string | undefined {
      if (isAway(reason)) return undefined;
      if (!isCounted) rounds += 1;
      isCounted = true;
      return rounds < mostRounds
        ? undefined
        : `every step was refused in ${rounds} rounds of starts, the last one with: ${reason}`;
    },
    /** The pause after refusals is over; those that follow are a round of their own. */
    nextRound() {
      isCounted = false;
    },
    /** A step was started. */
    started() {
      rounds = 0;
      isCounted = false;
    },
  };
}
