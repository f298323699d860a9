import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startStepLauncher } from '../../../tests/support/step-launcher.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';

const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
const jobOf = (id: number, command: string): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `job${id}`,
  command,
  attempt_id: 1,
  need,
});

/** A launcher; its ends arrive in order. */
function launcher() {
  const { child, reports, order, seen } = startStepLauncher();
  const ends = () => reports.flatMap((each) => (each.is === 'changed' ? each.ended : []));
  return {
    start: (job: ClaimedJob) => order({ do: 'start', job, gpus: [] }),
    async ended(count: number) {
      await seen(() => ends().length >= count);
      return ends();
    },
    async close() {
      order({ do: 'end' });
      await once(child, 'exit');
    },
  };
}

describe('the launcher of jobs in a step', () => {
  it('the launcher of a step reports how long each job ran, and no job has more CPU time than its CPU has in that time', async () => {
    const { start, ended, close } = launcher();
    for (let id = 1; id <= 20; id += 1) start(jobOf(id, 'true'));
    start(jobOf(21, 'sleep 0.3'));
    const ends = await ended(21);
    for (const { seconds = 0, cpuSeconds = 0 } of ends) expect(cpuSeconds).toBeLessThanOrEqual(seconds * 1.05);
    const [last] = ends.filter(({ id }) => id.includes('_j21_'));
    expect(last?.seconds).toBeGreaterThanOrEqual(0.3);
    await close();
  });

  it('the launcher of a step reports no memory of a job that ended before it was measured', async () => {
    const { start, ended, close } = launcher();
    start(jobOf(1, 'true'));
    expect((await ended(1))[0]?.peakBytes).toBeUndefined();
    await close();
  });
});
