import type { JobStatus } from '../../core/job/job-statuses.ts';
import type { FileOnDisk, JobWithFiles, PlanFacts } from '../../core/lifecycle/rerun/out-of-date.ts';
import type { Client } from '../client.ts';
import { all } from '../every.ts';
import { readInputs, storedFiles, storedJobs } from '../stored-plan.ts';
import { withSubstitute } from './unknown-route.ts';

/** What the server knows of a file of a workflow. */
export type KnownFile = Omit<FileOnDisk, 'mtime'>;

/** The jobs of a workflow with what they wait for, read and write. Torc's own server lists the three apart. */
export const jobsWithFiles = (client: Client, id: number): Promise<readonly JobWithFiles[]> =>
  withSubstitute<readonly JobWithFiles[]>(storedJobs(client, id), async () => {
    const params = { id };
    const jobs = await all((page) => client.listJobs({ query: { workflow_id: id, ...page } }));
    const edges = await all((page) => client.listJobDependencies({ params, query: page }));
    const files = await all((page) => client.listJobFileRelationships({ params, query: page }));
    const waitsFor = Map.groupBy(edges, ({ job_id: job }) => job);
    const reads = Map.groupBy(files, ({ consumer_job_id: job }) => job);
    const writes = Map.groupBy(files, ({ producer_job_id: job }) => job);
    return jobs.map((job) => ({
      ...job,
      status: (job.status ?? 'uninitialized') satisfies JobStatus,
      depends_on_job_ids: waitsFor.get(job.id)?.map(({ depends_on_job_id: other }) => other) ?? null,
      input_file_ids: reads.get(job.id)?.map(({ file_id: file }) => file) ?? null,
      output_file_ids: writes.get(job.id)?.map(({ file_id: file }) => file) ?? null,
    }));
  });

/** By the id of a job, its inputs as its last attempt found them. Torc's own server does not know, nor did earlier versions of ours. */
export const inputsAsRead = async (client: Client, id: number): Promise<NonNullable<PlanFacts['reads']>> =>
  Map.groupBy(await withSubstitute(readInputs(client, id), async () => []), ({ job_id: job }) => job);

/** The files of a workflow with the times that the server knows. Earlier versions of ours send no times as columns. */
export const knownFiles = async (client: Client, id: number): Promise<readonly KnownFile[]> => {
  const found = await withSubstitute(storedFiles(client, id), async () => undefined);
  if (found?.every(({ st_mtime: time }) => time !== undefined)) return found as readonly KnownFile[];
  const files = await all((page) => client.listFiles({ query: { workflow_id: id, ...page } }));
  return files.map(({ st_mtime: time, ...file }) => ({ ...file, st_mtime: time ?? null }));
};
