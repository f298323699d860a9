import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import type { File } from '../core/contract/artifact.ts';
import { type FileChange, type Reruns, rerunsOf } from '../core/lifecycle/rerun.ts';
import { isChanged } from './initialize.ts';
import type { FileOnDisk } from './readiness.ts';

/** The jobs that `reinitialize` would make run, and why; changes nothing. */
export async function findReruns(client: Client, workflowId: number, onDisk: readonly FileOnDisk[]): Promise<Reruns> {
  const params = { id: workflowId };
  const jobs = await all((page) => client.listJobs({ query: { workflow_id: workflowId, ...page } }));
  const dependencies = await all((page) => client.listJobDependencies({ params, query: page }));
  const relations = await all((page) => client.listJobFileRelationships({ params, query: page }));
  const { reinitialized_jobs: changedUserData } = await client.processChangedJobInputs({
    params,
    query: { dry_run: true },
  });

  const producers = idsByFile(relations.map(({ file_id: file, producer_job_id: job }) => [file, job]));
  const consumers = idsByFile(relations.map(({ file_id: file, consumer_job_id: job }) => [file, job]));
  const files = onDisk.flatMap(({ file, mtime }) => {
    const change = changeOf(file, mtime);
    if (change === undefined) return [];
    return [
      {
        path: file.path,
        change,
        producers: [...(producers.get(file.id) ?? [])],
        // A file that was missing before is no change for the jobs that read it.
        consumers: isChanged(file, mtime) ? [...(consumers.get(file.id) ?? [])] : [],
      },
    ];
  });
  return rerunsOf({
    jobs: jobs.map((job) => ({ ...job, id: job.id, status: job.status ?? 'uninitialized' })),
    dependencies,
    files,
    changedUserData,
  });
}

/** A missing file counts whether it was there before or not: a job that completed must have written it. */
function changeOf(file: File, mtime: number | undefined): FileChange | undefined {
  if (mtime === undefined) return 'missing';
  if (!isChanged(file, mtime)) return undefined;
  if (file.st_mtime === undefined || file.st_mtime === null) return 'new';
  return mtime > file.st_mtime ? 'newer' : 'older';
}

function idsByFile(pairs: readonly (readonly [file: number, job: number | null | undefined])[]) {
  const found = new Map<number, Set<number>>();
  for (const [file, job] of pairs) {
    if (typeof job !== 'number') continue;
    const known = found.get(file);
    if (known === undefined) found.set(file, new Set([job]));
    else known.add(job);
  }
  return found;
}
