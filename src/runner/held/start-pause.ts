import { after, type Timer } from '../../client/long-timers.ts';

/**
 * A time in which a runner starts no job, because a start failed for a reason that passes. `onOver` is called when the pause is over by
 * itself.
 */
export function createStartPause(longestMs: number, onOver: () => void) {
  let timer: Timer | undefined;
  let isForRefusal = false;
  const end = () => {
    timer?.cancel();
    timer = undefined;
    isForRefusal = false;
  };
  return {
    get isOn() {
      return timer !== undefined;
    },
    /** A step was refused: no job is wanted until the pause is over. */
    get isForRefusal() {
      return isForRefusal;
    },
    /** Begins anew if it is on. */
    begin(ms: number, why: 'launch' | 'refusal') {
      timer?.cancel();
      isForRefusal ||= why === 'refusal';
      timer = after(Math.min(ms, longestMs), () => {
        end();
        onOver();
      });
    },
    end,
  };
}
