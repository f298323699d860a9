import { expect, it, test } from 'vitest';
import { slurmTermination } from './srun-termination.ts';

test.each([
  ['TERM@120', { termination_signal: 'SIGTERM', sigterm_lead_seconds: 120 }],
  ['SIGUSR1@60', { termination_signal: 'SIGUSR1', sigterm_lead_seconds: 60 }],
  ['R:INT@5', { termination_signal: 'SIGINT', sigterm_lead_seconds: 5 }],
  ['USR2', { termination_signal: 'SIGUSR2' }],
  ['10@30', { termination_signal: 'SIGUSR1', sigterm_lead_seconds: 30 }],
  ['99@30', { sigterm_lead_seconds: 30 }],
])('with %s jobs in steps are asked to end so', (text, expected) =>
  expect(slurmTermination({ srun_termination_signal: text })).toEqual(expected),
);

it.each([{}, { srun_termination_signal: '' }])(
  'without a signal of the workflow the standard ones hold (%j)',
  (config) => {
    expect(slurmTermination(config)).toEqual({});
  },
);
