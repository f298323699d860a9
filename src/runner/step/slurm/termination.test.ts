import { expect, it, test } from 'vitest';
import { slurmTermination } from './termination.ts';

const ofSteps = { isBatched: false };
const inOneStep = { isBatched: true };

test.each([
  ['TERM@120', { termination_signal: 'SIGTERM', sigterm_lead_seconds: 120 }],
  ['SIGUSR1@60', { termination_signal: 'SIGUSR1', sigterm_lead_seconds: 60 }],
  ['R:INT@5', { termination_signal: 'SIGINT', sigterm_lead_seconds: 5 }],
  ['USR2', { termination_signal: 'SIGUSR2' }],
  ['10@30', { sigterm_lead_seconds: 30 }],
])('with %s jobs inside a step are asked to end so', (text, expected) =>
  expect(slurmTermination({ srun_termination_signal: text }, inOneStep)).toEqual(expected),
);

it('steps are signaled up to a minute earlier, because their time limit is rounded down to whole minutes', () => {
  expect(slurmTermination({ srun_termination_signal: 'TERM@120' }, ofSteps)).toEqual({
    termination_signal: 'SIGTERM',
    sigterm_lead_seconds: 180,
  });
  expect(slurmTermination({ srun_termination_signal: 'USR2' }, ofSteps)).toEqual({ termination_signal: 'SIGUSR2' });
});

it.each([ofSteps, inOneStep])('without a signal of the workflow the standard ones hold (%j)', (how) => {
  expect(slurmTermination({}, how)).toEqual({});
  expect(slurmTermination({ srun_termination_signal: '' }, how)).toEqual({});
});
