import { join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { createStore } from '../../src/server/records/store.ts';
import { openDatabase } from '../../src/server/store/database.ts';
import { testService } from './service.ts';

/**
 * What the `-s` commands of a folder left in its database, by the routes of a service in this process.
 *
 * For what no test of `torc -s … list` is about: that starts two programs, which takes 0.3 s of CPU time.
 */
async function left<Found>(folder: string, read: (client: Client) => Promise<Found>): Promise<Found> {
  const store = createStore(openDatabase(join(folder, 'torc_output/torc.db')), {
    now: Date.now,
    onBroken: (error) => {
      throw error;
    },
  });
  try {
    return await read(testService({ store }).client);
  } finally {
    store.db.close();
  }
}

/** The jobs of its first workflow. */
export const leftJobs = (folder: string) =>
  left(folder, async (client) => (await client.listJobs({ query: { workflow_id: 1 } })).items);

/** The results of its first workflow. */
export const leftResults = (folder: string) =>
  left(folder, async (client) => (await client.listResults({ query: { workflow_id: 1 } })).items);
