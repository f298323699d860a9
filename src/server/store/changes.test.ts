import { expect, it } from 'vitest';
import { testService } from '../../../tests/support/service.ts';
import type { Change } from './changes.ts';

const log = () => {
  const { store } = testService();
  const received: Pick<Change, 'id' | 'entries'>[] = [];
  store.changes.subscribe(7, ({ id, entries }) => received.push({ id, entries }));
  const stored = () =>
    store.changes.read(7, 0, ['job_started'], 1_000).changes.map(({ id, entries }) => ({ id, entries }));
  return { ...store, received, stored };
};

it('a change is received once it is written, and one whose transaction was not committed is not', () => {
  const { changes, received, stored } = log();
  changes.record(7, 'job_started', ['first']);
  changes.write();
  changes.record(7, 'job_started', ['second']);
  changes.publish();
  expect([received, stored()]).toEqual([[{ id: 1, entries: ['first'] }], received]);
  changes.write();
  changes.publish();
  expect(received).toEqual([
    { id: 1, entries: ['first'] },
    { id: 2, entries: ['second'] },
  ]);
  expect(stored()).toEqual(received);
});

it('a change that was rolled back is neither written nor received, and the next one has its id', () => {
  const { changes, received, stored } = log();
  const mark = changes.mark();
  changes.record(7, 'job_started', ['rolled back']);
  changes.forgetSince(mark);
  changes.record(7, 'job_started', ['kept']);
  changes.write();
  changes.publish();
  expect([received, stored()]).toEqual([[{ id: 1, entries: ['kept'] }], received]);
});

it('changes have the ids of their rows, also where an administrator inserted rows before them', () => {
  const { db, changes, received, stored } = log();
  db.run("insert into change_log (workflow_id, at_ms, event_type, data) values (1, 0, 'job_started', '[]')");
  changes.record(7, 'job_started', ['a']);
  changes.record(7, 'job_started', ['b']);
  changes.write();
  changes.publish();
  expect(received).toEqual([
    { id: 2, entries: ['a'] },
    { id: 3, entries: ['b'] },
  ]);
  expect([stored(), changes.lastId]).toEqual([received, 3]);
});
