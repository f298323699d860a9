import { beforeEach, describe, expect, it } from 'vitest';
import { recordedChanges, testService, type TestService } from '../../../tests/support/service.ts';
import { createChangeLog } from './changes.ts';
import { createPruner } from './prune.ts';

let service: TestService;
let id: number;
let other: number;
const DAY_MS = 24 * 3_600_000;

beforeEach(async () => {
  service = testService();
  const create = async () => (await service.client.createWorkflow({ body: { name: 'w', user: 'u' } })).id;
  id = await create();
  other = await create();
});

const report = (workflowId: number, entry: unknown) =>
  service.store.turns.write(() => service.store.changes.record(workflowId, 'jobs_ready', [entry]));
const pruner = (maxLength: number, maxAgeMs = DAY_MS) =>
  createPruner(service.store.db, service.store, { maxLength, maxAgeMs });
const reported = (workflowId: number) => recordedChanges(service.store, workflowId).flatMap(({ entries }) => entries);
const rows = () =>
  service.store.db.prepare<Record<string, never>, { n: number }>('select count(*) as n from change_log').get({})?.n;

describe('the change log', () => {
  it('the change log keeps rows within its limits of age and size', async () => {
    await report(id, 'first');
    await report(other, 'second');
    expect(await pruner(10_000)()).toBe(0);
    expect([reported(id), reported(other)]).toEqual([['first'], ['second']]);
  });

  it('rows that are too old are pruned, and the last pruned id of each workflow is stored', async () => {
    await report(id, 'old');
    const oldId = service.store.changes.lastId;
    service.clock.now += 2 * DAY_MS;
    await report(id, 'new');
    await report(other, 'new');
    expect(await pruner(10_000)()).toBe(1);
    expect([reported(id), reported(other)]).toEqual([['new'], ['new']]);
    expect([service.store.changes.prunedId(id), service.store.changes.prunedId(other)]).toEqual([oldId, 0]);
  });

  it('the oldest rows are pruned when there are too many, a slice at a time', async () => {
    for (let index = 0; index < 500; index += 1) await report(id, `${index} ${'x'.repeat(100)}`);
    const removed = await pruner(5_000)();
    expect(removed).toBeGreaterThan(400);
    const [first] = reported(id) as string[];
    expect(first).toMatch(new RegExp(`^${removed} `));
    expect(JSON.stringify(reported(id)).length).toBeLessThan(6_000);
  });

  it('rows that a client still has to read are kept, and pruned afterwards', async () => {
    await report(id, 'old');
    await report(id, 'older than a day, too');
    service.clock.now += 2 * DAY_MS;
    const hold = service.store.changes.hold(service.store.changes.lastId);
    await pruner(10_000)();
    expect(reported(id)).toEqual(['older than a day, too']);
    hold.release();
    await pruner(10_000)();
    expect(reported(id)).toEqual([]);
  });

  it('an id is never reused, not even when all rows were pruned and the server was restarted', async () => {
    await report(id, 'old');
    const { lastId } = service.store.changes;
    service.clock.now += 2 * DAY_MS;
    await pruner(10_000)();
    expect(rows()).toBe(0);
    const afterRestart = createChangeLog(service.store.db, () => service.clock.now);
    expect(afterRestart.lastId).toBe(lastId);
    afterRestart.record(id, 'jobs_ready', []);
    expect(afterRestart.lastId).toBe(lastId + 1);
  });

  it('rows of a deleted workflow are pruned, and only those', async () => {
    for (let index = 0; index < 450; index += 1) await report(id, index);
    await report(other, 'stays');
    await service.client.deleteWorkflow({ params: { id } });
    await service.store.prune();
    expect([reported(id), reported(other)]).toEqual([[], ['stays']]);
  });

  it('the change log is read by the index of its workflow, in order, without a sort', () => {
    const plan = service.store.db.plan(
      `select id, data from change_log where workflow_id = 1 and id >= 5 and id < 9
       and event_type in (select value from json_each('[]')) order by id`,
    );
    expect(plan.join(' ')).toContain('change_log_workflow (workflow_id=? AND rowid>? AND rowid<?)');
    expect(plan.join(' ')).not.toContain('ORDER BY');
  });
});
