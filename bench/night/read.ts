import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { all } from '../../src/client/every.ts';
import { attemptsOf, type RunJob } from './records.ts';
import type { Job } from './workload.ts';

/** What the server says of each job, and what the job wrote to its file. */
export async function readRun(
  client: Client,
  { workflowId, jobs, folder }: { readonly workflowId: number; readonly jobs: readonly Job[]; readonly folder: string },
): Promise<RunJob[]> {
  const query = { workflow_id: workflowId };
  const records = await all((page) => client.listJobs({ query: { ...query, ...page } }));
  const results = await all((page) => client.listResults({ query: { ...query, all_runs: true, ...page } }));
  const completed = Map.groupBy(
    results.filter(({ status }) => status === 'completed'),
    ({ job_id: id }) => id,
  );
  const byName = new Map(records.map((record) => [record.name, record]));
  return jobs.map(({ name, seconds, dependsOn }) => {
    const { id = 0, status = 'missing' } = byName.get(name) ?? {};
    const path = join(folder, name);
    return {
      id: id,
      name,
      seconds,
      dependsOn,
      status: String(status),
      attempts: existsSync(path) ? attemptsOf(name, readFileSync(path, 'utf8')) : [],
      completedIn: (completed.get(id) ?? []).map(({ run_id: run, attempt_id: attempt }) => ({
        run,
        attempt: attempt ?? 1,
      })),
    };
  });
}
