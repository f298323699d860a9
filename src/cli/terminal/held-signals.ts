/** The signals that end a run, and the exit codes of a program that they end. */
export const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type EndingSignal = keyof typeof exitCodes;
const endingSignals = Object.keys(exitCodes) as EndingSignal[];

/** Signals that arrived before anything could act on them. */
export interface HeldSignals {
  /** From now on `act` gets each signal, at once those that were held. Returns what ends that. */
  release(act: (signal: EndingSignal) => void): () => void;
}

/**
 * Keeps the signals that arrive between the creation of a workflow and the start of its runner.
 *
 * The workflow exists then, so the run ends as usual: with its state and the command that resumes it. A second signal ends
 * the program at once.
 */
export function holdSignals(): HeldSignals {
  const held: EndingSignal[] = [];
  const hold = (signal: NodeJS.Signals) => {
    if (isOfClosedTerminal(signal)) return;
    if (held.length > 0) process.exit(exitCodes[signal as EndingSignal]);
    held.push(signal as EndingSignal);
  };
  for (const signal of endingSignals) process.on(signal, hold);
  return {
    release(act) {
      const pass = (signal: NodeJS.Signals) => {
        if (!isOfClosedTerminal(signal)) act(signal as EndingSignal);
      };
      // In this order: without a listener the runtime drops a signal that it has received and not delivered yet.
      for (const signal of endingSignals) process.on(signal, pass).off(signal, hold);
      held.forEach(act);
      return () => {
        for (const signal of endingSignals) process.off(signal, pass);
      };
    },
  };
}

/** A run whose messages go elsewhere goes on when its terminal closes. Under nohup no SIGHUP arrives here (`bin/start.mjs`). */
const isOfClosedTerminal = (signal: NodeJS.Signals) => signal === 'SIGHUP' && process.stderr.isTTY !== true;
