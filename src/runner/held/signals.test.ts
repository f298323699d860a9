import { expect, it } from 'vitest';
import { createSignals } from './signals.ts';
import type { PlacedAttempt } from './job-states.ts';

const running = (id: string, jobId: number): PlacedAttempt =>
  ({
    state: 'running',
    job: { id: jobId, attempt_id: 1 },
    step: { id, about: {} },
    endedFor: undefined,
    wasKilled: false,
  }) as unknown as PlacedAttempt;

function signaling(...ids: string[]) {
  const jobs = { running: new Map(ids.map((id, index) => [id, running(id, index + 1)])) };
  const sent: string[] = [];
  const steps = { signal: (id: string, signal: string) => void sent.push(`${signal} ${id}`), kill() {} };
  const signals = createSignals({ run: { workflowId: 1, log: { write() {}, close() {} } }, jobs, steps });
  return { sent, signals, jobs };
}

it('a job that was canceled does not get the same signal again when its runner stops, and SIGKILL all the same', () => {
  const { sent, signals, jobs } = signaling('a', 'b');
  signals.cancel([{ job_id: 1, attempt_id: 1 }], { signal: 'SIGTERM', leadSeconds: 60 });
  signals.signal('SIGTERM', 'stop');
  signals.signal('SIGKILL', 'stop');
  expect(sent).toEqual(['SIGTERM a', 'SIGTERM b', 'SIGKILL a', 'SIGKILL b']);
  expect([...jobs.running.values()].map(({ endedFor }) => endedFor)).toEqual(['cancel', 'stop']);
});

it('a job that was canceled gets another signal of a later end', () => {
  const { sent, signals } = signaling('a');
  signals.cancel([{ job_id: 1, attempt_id: 1 }], { signal: 'SIGUSR1', leadSeconds: 60 });
  signals.signalAtLimit(['a'], 'SIGTERM', 'deadline');
  expect(sent).toEqual(['SIGUSR1 a', 'SIGTERM a']);
});
