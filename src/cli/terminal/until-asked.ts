/** Signals that end a program which only waits for them. */
const signals = ['SIGUSR1', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves when a signal asks this program to end. */
export const untilAsked = (): Promise<void> =>
  new Promise((resolve) => {
    const onSignal = () => {
      for (const signal of signals) process.off(signal, onSignal);
      resolve();
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
