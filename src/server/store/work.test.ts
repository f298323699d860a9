import { describe, expect, it } from 'vitest';
import { openDatabase } from './database.ts';
import { createStore, type Store } from '../records/store.ts';
import { usualLimits } from './slice-limits.ts';
import type { WorkSteps, Work } from './work.ts';

const ONE_STEP = { ...usualLimits, turnMs: 0, sliceMs: 0 };
const storeOf = (limits = ONE_STEP): Store =>
  createStore(openDatabase(':memory:'), { now: () => 0, onBroken: () => {}, limits });

const rows = (store: Store, sql: string) => store.db.prepare<Record<string, never>, { text: string }>(sql).all({});
const begun = (store: Store) => rows(store, 'select kind as text from workflow_work').map(({ text }) => text);

const work = (steps: () => WorkSteps<string>, more: Partial<Work<string>> = {}): Work<string> => ({
  workflowId: 1,
  kind: 'cancel',
  parameters: () => ({ a: 1 }),
  steps,
  ...more,
});

describe('work on a workflow', () => {
  it('work that ends in its first slice is one write, and is not stored', async () => {
    const store = storeOf(usualLimits);
    let turns = 0;
    store.changes.subscribe(1, () => (turns += 1));
    const result = await store.works.carryOut(
      work(function* () {
        yield;
        yield;
        store.changes.record(1, 'jobs_ready', [begun(store)]);
        return 'done';
      }),
    );
    expect([result, begun(store)]).toEqual(['done', []]);
    await store.turns.idle();
    expect(turns).toBe(1);
  });

  it('longer work is stored in the database from its first slice to its last', async () => {
    const store = storeOf();
    const seen: string[][] = [];
    const result = await store.works.carryOut(
      work(function* () {
        for (let slice = 0; slice < 3; slice += 1) {
          seen.push(begun(store));
          yield;
        }
        return 'done';
      }),
    );
    expect([result, seen, begun(store)]).toEqual(['done', [[], ['cancel'], ['cancel']], []]);
  });

  it('work delays other writes to its workflow, and no others', async () => {
    const store = storeOf();
    const order: string[] = [];
    const write = (name: string, workflowId: number) =>
      store.turns.write(() => order.push(name), Infinity, { workflowId: () => workflowId, isCompatible: true });
    const long = store.works.carryOut(
      work(function* () {
        for (let slice = 0; slice < 5; slice += 1) {
          order.push(`slice ${slice}`);
          yield;
        }
        return 'done';
      }),
    );
    await Promise.all([long, write('same', 1), write('other', 2)]);
    expect(order.indexOf('same')).toBe(order.length - 1);
    expect(order.indexOf('other')).toBeLessThan(order.indexOf('slice 4'));
  });

  it('work waits for other work on the same workflow', async () => {
    const store = storeOf();
    const order: string[] = [];
    const named = (name: string) =>
      work(function* () {
        for (let slice = 0; slice < 3; slice += 1) {
          order.push(name);
          yield;
        }
        return name;
      });
    await Promise.all([store.works.carryOut(named('a')), store.works.carryOut(named('b'))]);
    expect(order.join('')).toBe('aaabbb');
  });

  it('failed work is undone, and then other writes continue', async () => {
    const store = storeOf();
    const order: string[] = [];
    const failed = store.works.carryOut(
      work(
        function* () {
          yield;
          yield;
          throw new Error('no');
        },
        {
          *undo() {
            order.push('undo');
            yield;
            order.push('undone');
          },
        },
      ),
    );
    const other = store.turns.write(() => order.push('other'), Infinity, {
      workflowId: () => 1,
      isCompatible: true,
    });
    await expect(failed).rejects.toThrow('no');
    await other;
    expect([order, begun(store)]).toEqual([['undo', 'undone', 'other'], []]);
  });

  it('work that a server left is continued before any other write to its workflow', async () => {
    const store = storeOf();
    store.db.run(`insert into workflow_work (workflow_id, kind, parameters) values (1, 'cancel', '{"left":2}')`);
    const order: string[] = [];
    store.works.onRestart('cancel', (id, { left }: { left: number }) =>
      work(function* () {
        for (let slice = 0; slice < left; slice += 1) {
          order.push(`${id} slice ${slice}`);
          yield;
        }
        return 'done';
      }),
    );
    store.works.resume();
    await store.turns.write(() => order.push('other'), Infinity, { workflowId: () => 1, isCompatible: true });
    expect([order, begun(store)]).toEqual([['1 slice 0', '1 slice 1', 'other'], []]);
  });

  it('unfinished work stays in the database when the server stops', async () => {
    const store = storeOf();
    const endless = store.works.carryOut(
      work(function* () {
        for (;;) {
          yield;
          store.works.stop();
        }
      }),
    );
    await expect(endless).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(begun(store)).toEqual(['cancel']);
  });
});

it('a transaction with many writes ends after some time, and the others are in the next one', async () => {
  const store = storeOf();
  const order: string[] = [];
  const first = store.turns.write(() => order.push('first'));
  const second = store.turns.write(() => order.push('second'));
  await first;
  expect(order).toEqual(['first']);
  await second;
  expect(order).toEqual(['first', 'second']);
});

it('clients are notified of a change only when it is on disk', async () => {
  const store = storeOf();
  const heard: unknown[] = [];
  store.changes.subscribe(1, ({ entries }) => heard.push(entries[0]));
  await store.turns.writeSoon(() => store.changes.record(1, 'jobs_ready', ['soon']));
  await store.turns.idle();
  expect(heard).toEqual([]);
  await store.turns.write(() => {});
  await store.turns.idle();
  expect(heard).toEqual(['soon']);
});
