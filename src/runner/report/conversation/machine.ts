import { advance, nextMoment } from './advance.ts';
import {
  AT_START,
  type ConversationState,
  type ConversationEffect,
  type ConversationEvent,
  type Facts,
  type Rules,
} from './state.ts';
import { LONGEST_TIMER_MS } from '../../../client/long-timers.ts';

/** Holds the state of a conversation: events change it, by `advance`, and the effects are carried out. */
export interface ConversationMachine {
  readonly state: ConversationState;
  /** An event that arrives while another one is processed is processed after it. */
  take(event: ConversationEvent): void;
  close(): void;
}

export interface MachineOptions {
  readonly rules: Rules;
  readonly facts: () => Facts;
  readonly carryOut: (effect: ConversationEffect) => void;
}

export function createMachine({ rules, facts, carryOut }: MachineOptions): ConversationMachine {
  let state = AT_START;
  const waiting: ConversationEvent[] = [];
  let isBusy = false;

  const take = (event: ConversationEvent) => {
    waiting.push(event);
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const step = advance(state, next, facts(), rules);
        state = step.state;
        for (const effect of step.effects) carryOut(effect);
        // Jobs that were assigned or entries that were put back may require another exchange.
        if (next.kind === 'answered' || next.kind === 'failed') waiting.push({ kind: 'consider' });
      }
    } finally {
      isBusy = false;
    }
    alarm.set(nextMoment(state));
  };
  const alarm = createAlarm(() => take({ kind: 'time' }));

  return {
    get state() {
      return state;
    },
    take,
    close: alarm.close,
  };
}

/** One timer for the earliest of several moments. */
interface Alarm {
  /** It goes off at this moment (monotonic milliseconds), if not earlier; Infinity means never. */
  set(atMs: number): void;
  close(): void;
}

/** `onDue` may be called early, which must do no harm: it sets the alarm again. */
function createAlarm(onDue: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let dueAtMs = Infinity;
  const goOff = () => {
    dueAtMs = Infinity;
    onDue();
  };
  return {
    set(atMs) {
      if (atMs >= dueAtMs) return;
      clearTimeout(timer);
      dueAtMs = atMs;
      timer = setTimeout(goOff, Math.min(LONGEST_TIMER_MS, Math.max(0, atMs - performance.now())));
    },
    close: () => clearTimeout(timer),
  };
}
