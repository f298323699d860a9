/**
 * Signals that say something to jobs and nothing to a runner, whom most of them would end. The others are faults of a program, limits of
 * its own (SIGXCPU, SIGXFSZ), or stop it with its terminal.
 */
export const MESSAGES = [
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
  'SIGURG',
  'SIGWINCH',
] as const satisfies readonly NodeJS.Signals[];
