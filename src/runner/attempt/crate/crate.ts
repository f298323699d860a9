import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Client } from '../../../client/client.ts';
import { isDuplicate } from '../../../client/compat/refused.ts';
import { all } from '../../../client/every.ts';
import type { NewRoCrateEntity } from '../../../core/contract/artifact.ts';
import type { ClaimedJob, Completion } from '../../../core/contract/exchange.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';
import type { CurrentRun } from '../../ledger/current-run.ts';
import {
  attemptEntity,
  type Made,
  type Making,
  outputEntity,
  planEntity,
  runEntity,
  softwareEntity,
} from './entities.ts';

export interface CrateOptions {
  readonly client: Client;
  readonly run: CurrentRun;
  readonly workflow: Workflow;
  readonly startedAtMs: number;
}

export type Crate = NonNullable<ReturnType<typeof createCrate>>;

/**
 * Records the provenance of a run in the research object of the workflow, in parallel with the jobs, one entity after
 * the other. A failure is a warning: it never fails a job. Undefined unless the workflow requests provenance.
 */
export function createCrate({ client, run, workflow, startedAtMs }: CrateOptions) {
  if (workflow.enable_ro_crate !== true) return undefined;
  const { workflowId, runId, log } = run;
  const params = { id: workflowId };
  const started = { name: workflow.name, startTime: new Date(startedAtMs).toISOString() };
  let paths: Promise<ReadonlyMap<number, string>> | undefined;
  let last: Promise<void> = Promise.resolve();

  const enqueue = (what: string, work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch((error: unknown) => {
      log.write('warn', 'The research object is incomplete', { of: what, reason: (error as Error).message });
    });
    return last;
  };

  const entityOf = async (query: { file_id: number } | { entity_id: string }) =>
    (await client.listRoCrateEntities({ params, query: { ...query, limit: 1 } })).items[0];

  /** Adds the entity, and returns whether it is new: another runner may have added it. */
  const add = async (entity: Omit<NewRoCrateEntity, 'workflow_id'>): Promise<boolean> => {
    try {
      await client.createRoCrateEntity({ body: { workflow_id: workflowId, ...entity } });
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return false;
    }
  };

  /** Adds the entity, or replaces that of an earlier run: attempts are numbered again in each run. */
  const put = async (entity: Omit<NewRoCrateEntity, 'workflow_id'>): Promise<void> => {
    if (await add(entity)) return;
    const before = await entityOf({ entity_id: entity.entity_id });
    const body = { workflow_id: workflowId, ...entity };
    if (before !== undefined) await client.updateRoCrateEntity({ params: { id: before.id }, body });
  };

  const pathOf = async (fileId: number): Promise<string> => {
    paths ??= all((page) => client.listFiles({ query: { workflow_id: workflowId, ...page } })).then(
      (files) => new Map(files.map(({ id, path }) => [id, path])),
    );
    return (await paths).get(fileId) ?? `#file-${fileId}`;
  };
  /** The name of a file in the research object: the name that a user gave it, or its path. */
  const nameOf = async (fileId: number) => (await entityOf({ file_id: fileId }))?.entity_id ?? pathOf(fileId);

  const describeOutput = async (fileId: number, path: string, making: Making): Promise<void> => {
    const made = await look(path);
    const before = await entityOf({ file_id: fileId });
    const entity = outputEntity(before?.entity_id ?? path, made, making, before?.metadata);
    if (before === undefined) await add({ ...entity, file_id: fileId });
    else await client.updateRoCrateEntity({ params: { id: before.id }, body: { ...before, ...entity } });
  };

  const describe = async (job: ClaimedJob, { completion_time: endTime }: Completion): Promise<void> => {
    const outputs = job.output_files ?? [];
    const { input_file_ids: inputIds } = await client.getJob({ params: { id: job.id } });
    const making: Making = {
      runId,
      jobId: job.id,
      attempt: job.attempt_id,
      name: job.name,
      endTime,
      inputs: await inOrder(inputIds ?? [], nameOf),
      outputs: await inOrder(outputs, async ({ id, path }) => (await entityOf({ file_id: id }))?.entity_id ?? path),
    };
    await put(attemptEntity(making));
    await inOrder(outputs, ({ id, path }) => describeOutput(id, path, making));
  };

  void enqueue('the run', async () => {
    await put(planEntity(workflow));
    await add(softwareEntity(runId, process.argv[1] ?? process.execPath));
    await add(runEntity(runId, started));
  });

  return {
    completed(job: ClaimedJob, completion: Completion) {
      if ((job.output_files ?? []).length === 0) return;
      void enqueue(`job ${job.id} (${job.name})`, () => describe(job, completion));
    },
    /** Resolves when everything is recorded, including the end of the run if it is complete. */
    end: ({ isComplete }: { readonly isComplete: boolean }) =>
      enqueue('the end of the run', async () => {
        if (!isComplete) return;
        const { entity_id: id, metadata } = runEntity(runId, started);
        const before = await entityOf({ entity_id: id });
        if (before === undefined) return;
        const endTime = new Date().toISOString();
        await client.updateRoCrateEntity({
          params: { id: before.id },
          body: { ...before, metadata: { ...metadata, ...before.metadata, endTime } },
        });
      }),
  };
}

/** Size and hash of a file, read in pieces: outputs may be larger than memory. */
async function look(path: string): Promise<Made> {
  const { size, mtimeMs } = await stat(path);
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return { path, sizeBytes: size, sha256: hash.digest('hex'), modifiedMs: mtimeMs };
}

/** One after the other: this is not urgent, and jobs run in parallel. */
async function inOrder<Item, Made>(items: readonly Item[], make: (item: Item) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}
