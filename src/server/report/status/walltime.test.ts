import { describe, expect, it } from 'vitest';
import { testService } from '../../../../tests/support/service.ts';
import { possibleWalltime } from './walltime.ts';

const [HOUR, YEAR] = [3600, 365 * 86_400];
/** The walltime of a workflow that is an hour old, and whose jobs ran from and to these seconds after its creation. */
const walltime = (first: number, last: number, { ageMs = HOUR * 1000, clockSetMs = 0 } = {}) => {
  const nowMs = Date.parse('2026-03-01T12:00:00Z');
  const created = (nowMs - ageMs) / 1000;
  return possibleWalltime({ first_s: created + first, last_s: created + last }, { ageMs, clockSetMs }, nowMs);
};

describe('the walltime of a workflow', () => {
  it('the walltime is the time from the first start to the last end, by whatever clock', () => {
    expect(walltime(10, 70)).toBe(60);
    expect(walltime(YEAR + 10, YEAR + 70)).toBeCloseTo(60);
    expect(walltime(-YEAR, -YEAR + 60)).toBeCloseTo(60);
    expect(walltime(10, HOUR * 8)).toBe(HOUR * 8 - 10);
  });

  it('a walltime is not shown that is longer than the workflow is old: the clock of a node was set', () => {
    expect(walltime(10, YEAR)).toBeUndefined();
    expect(walltime(-YEAR, 60)).toBeUndefined();
    expect(walltime(-YEAR, 60, { ageMs: -YEAR * 1000 })).toBeUndefined();
  });

  it('a walltime is not shown that contains a change of the clock of the server, and one before or after it is', () => {
    const [ageMs, clockSetMs] = [(YEAR + 60) * 1000, YEAR * 1000];
    expect(walltime(10, YEAR + 50, { ageMs, clockSetMs })).toBeUndefined();
    expect(walltime(YEAR + 10, YEAR + 50, { ageMs, clockSetMs })).toBeCloseTo(40);
    expect(walltime(10, YEAR + 50, { ageMs })).toBeCloseTo(YEAR + 40);
  });

  it('the walltime of a workflow that was imported with its results is that of its results', () => {
    expect(walltime(-YEAR - 86_400, -YEAR)).toBeCloseTo(86_400);
  });

  it('the status of a workflow has no walltime where a node was a year ahead for one of its jobs', async () => {
    const service = testService();
    const { id } = await service.client.createWorkflow({ body: { name: 'w', user: 'u' } });
    const walltimeAfter = async (seconds: string) => {
      service.store.db.run(
        `insert or replace into workflow_time (workflow_id, minutes, first_s, last_s, is_stale)
         values (${id}, 1, unixepoch('2026-03-01T12:00:00Z'), unixepoch('2026-03-01T12:00:00Z') + ${seconds}, 0)`,
      );
      return (await service.client.getWorkflowStatus({ params: { id: id as number } })).walltime_seconds;
    };
    expect(await walltimeAfter('60')).toBe(60);
    expect(await walltimeAfter('365 * 86400')).toBeUndefined();
  });

  it('there is no walltime before a job has ended', () => {
    expect(possibleWalltime({ first_s: null, last_s: null }, { ageMs: 0, clockSetMs: 0 }, 0)).toBeUndefined();
  });
});
