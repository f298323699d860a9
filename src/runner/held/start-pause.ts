import { after, type Timer } from '../../client/long-timers.ts';

/** A time in which a runner starts no job, because a start failed for a reason that passes. */
export interface StartPause {
  readonly isOn: boolean;
  /** A step was refused: no job is wanted until the pause is over. */
  readonly isForRefusal: boolean;
  /** Begins anew if it is on. */
  begin(ms: number, why: 'launch' | 'refusal'): void;
  end(): void;
}

/** `onOver` is called when the pause is over by itself. */
export function createStartPause(longestMs: number, onOver: () => void): StartPause {
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
    get isForRefusal() {
      return isForRefusal;
    },
    begin(ms, why) {
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
