import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { storedPlan } from '../../src/client/stored-plan.ts';
import { diffPlan } from '../../src/core/workflow-file/update/diff.ts';
import { createStore } from '../../src/server/records/store.ts';
import { openDatabase } from '../../src/server/store/database.ts';
import type { SliceLimits } from '../../src/server/store/slice-limits.ts';
import { planned } from '../spec/reading.ts';
import { statuses, testService, type TestService } from '../support/service.ts';
import { planText, spec } from './specs.ts';

/** Every step is a transaction of its own, as those of a large update are. */
const TINY: SliceLimits = { turnMs: 0, sliceMs: 0, page: 2, atLeast: 1, firstWindow: 2, largestWindow: 2 };

const serverOn = (path: string): TestService =>
  testService({ store: createStore(openDatabase(path), { now: () => 7, onBroken: () => {}, limits: TINY }) });

/** One iteration of the event loop, in which the server commits at most once. */
const turn = () => new Promise((resolve) => void setImmediate(resolve));

it('a server that is killed at any moment of an update leaves the old or the new plan, and jobs that run once each', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'torc-update-'));
  const seen = new Set<string>();
  let number = 0;
  try {
    await fc.assert(
      fc.asyncProperty(spec, spec, fc.boolean(), fc.nat(90), async (first, second, isBegun, turns) => {
        const path = join(folder, `${(number += 1)}.db`);
        const before = serverOn(path);
        const { client, store } = before;
        const id = await createWorkflow(client, planned(first), {
          user: 'tester',
          submissionDirectory: '/tmp',
          monitorsJobs: true,
          mtimeOf: async () => 1,
        });
        if (isBegun) await client.initializeJobs({ params: { id } });
        const [old, wanted] = [await storedPlan(client, id), planned(second)];
        const body = diffPlan(wanted, old).update;
        const asked = client.updatePlan({ params: { id }, query: {}, body }).then(
          () => 'answered',
          () => 'stopped',
        );
        for (let count = 0; count < turns; count += 1) await turn();
        store.works.stop();
        const answer = await asked;
        store.db.close();

        const after = serverOn(path);
        // A write to the workflow waits until the server has finished what was left.
        await after.client.updateWorkflow({ params: { id }, body: {} });
        const found = await storedPlan(after.client, id);
        const isNew = Object.keys(diffPlan(wanted, found).update).length === 0;
        if (!isNew) expect([planText(found), answer]).toEqual([planText(old), 'stopped']);
        if (answer === 'answered') expect(isNew).toBe(true);
        if (isBegun) expect(Object.values(await statuses(after, id))).not.toContain('uninitialized');
        seen.add(`${answer} ${isNew ? 'new' : 'old'}`);
        expect([...before.errors, ...after.errors]).toEqual([]);
        after.store.db.close();
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  // Both were met.
  expect([...seen]).toEqual(expect.arrayContaining(['stopped new', 'stopped old']));
});
