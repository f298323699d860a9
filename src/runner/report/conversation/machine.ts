import { advance, nextMoment } from './advance.ts';
import { createAlarm } from './alarm.ts';
import { AT_START, type ConversationState, type Effect, type Event, type Facts, type Rules } from './state.ts';

/** Holds the state of a conversation: events change it, by `advance`, and the effects are carried out. */
export interface Machine {
  readonly state: ConversationState;
  /** An event that arrives while another one is processed is processed after it. */
  take(event: Event): void;
  close(): void;
}

export interface MachineOptions {
  readonly rules: Rules;
  readonly facts: () => Facts;
  readonly carryOut: (effect: Effect) => void;
}

export function createMachine({ rules, facts, carryOut }: MachineOptions): Machine {
  let state = AT_START;
  const waiting: Event[] = [];
  let isBusy = false;

  const take = (event: Event) => {
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
