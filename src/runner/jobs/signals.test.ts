import { expect, it } from 'vitest';
import { createJobSignals } from './signals.ts';
import { createUnderWay, type Running } from './under-way.ts';

const running = (id: string): Running =>
  ({ job: { id: 1 }, step: { id, about: {} }, endedFor: undefined, wasKilled: false }) as unknown as Running;

function signaling(...ids: string[]) {
  const underWay = createUnderWay();
  for (const id of ids) underWay.running.set(id, running(id));
  const sent: string[] = [];
  const steps = { signal: (id: string, signal: string) => void sent.push(`${signal} ${id}`), kill() {} };
  const signals = createJobSignals({ workflowId: 1, underWay, steps, log: { write() {}, close() {} } });
  return { sent, signals, underWay };
}

it('a job that was canceled does not get the same signal again when its runner stops, and SIGKILL all the same', () => {
  const { sent, signals, underWay } = signaling('a', 'b');
  signals.cancel('a', 'SIGTERM');
  signals.signal('SIGTERM', 'stop');
  signals.signal('SIGKILL', 'stop');
  expect(sent).toEqual(['SIGTERM a', 'SIGTERM b', 'SIGKILL a', 'SIGKILL b']);
  expect([...underWay.running.values()].map(({ endedFor }) => endedFor)).toEqual(['cancel', 'stop']);
});

it('a job that was canceled gets another signal of a later end', () => {
  const { sent, signals } = signaling('a');
  signals.cancel('a', 'SIGUSR1');
  signals.signalAtLimit(['a'], 'SIGTERM');
  expect(sent).toEqual(['SIGUSR1 a', 'SIGTERM a']);
});
