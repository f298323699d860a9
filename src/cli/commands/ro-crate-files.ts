import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { RoCrateEntity } from '../../core/contract/artifact.ts';
import { chooseWorkflow } from '../choose-workflow.ts';
import type { Command } from '../command.ts';
import { type HashMode, hashModes } from '../../operations/crate/hash-mode.ts';
import { Failure } from '../failure.ts';
import { jsonObject } from '../json-object.ts';
import { integer } from '../option.ts';
import { counted } from '../../core/quantity/count-text.ts';

type Entity = Pick<RoCrateEntity, 'entity_id' | 'entity_type' | 'metadata'>;

const roCrateExport: Command = {
  words: 'ro-crate export [workflow]',
  says: 'Write the research object of a workflow as an RO-Crate 1.1 document (ro-crate-metadata.json).',
  more: 'A file with an identifier is named by it wherever another entity refers to its path. Properties stored for "./", such as a licence, belong to the root.',
  options: [{ flags: '-o, --output <file>', says: 'write to this file instead of standard output' }],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('ro-crate export');
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const params = { id };
    const workflow = await client.getWorkflow({ params });
    const entities = await all((page) => client.listRoCrateEntities({ params, query: page }));
    const files = await all((page) => client.listFiles({ query: { workflow_id: id, ...page } }));
    const { crateDocument } = await import('../../operations/crate/document.ts');
    const text = JSON.stringify(crateDocument({ workflow, files, entities }), undefined, 2);
    const path = options['output'] as string | undefined;
    if (path === undefined) {
      output.text(text);
      return;
    }
    const { writeWhole } = await import('../../operations/whole-file.ts');
    await writeWhole(path, (write) => write(text));
    output.record(
      'ro-crate export',
      { workflow_id: id, output_file: path, entities: entities.length },
      `Exported ${counted(entities.length, 'RO-Crate entity', 'RO-Crate entities')} of workflow ${id} to ${path}`,
    );
  },
};

const roCrateAddDataset: Command = {
  words: 'ro-crate add-dataset [workflow]',
  says: 'Describe a folder as a dataset of the research object: its size, its files, a hash, and the jobs that produced it.',
  more: 'An existing dataset is described again. The hash "manifest" covers names, sizes and times, "content" the contents of the files.',
  options: [
    { flags: '--name <name>', says: 'name of the dataset', required: true },
    { flags: '--path <folder>', says: 'the folder', required: true },
    { flags: '--hash-mode <mode>', says: 'what the hash covers', default: 'manifest', choices: hashModes },
    { flags: '--description <text>', says: 'description of the dataset' },
    { flags: '--encoding-format <type>', says: 'the media type of its files' },
    {
      flags: '-t, --threads <n>',
      says: 'number of files read at once (default: number of CPUs)',
      read: integer('--threads', 1),
    },
    { flags: '-j, --job <id...>', says: 'jobs that produced it', many: true, read: integer('--job', 1) },
    {
      flags: '--metadata <json>',
      says: 'additional properties, as a JSON object; they have precedence',
      read: jsonObject('--metadata'),
    },
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('dataset');
    const path = options['path'] as string;
    refuseNoFolder(path);
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const { datasetEntity, datasetId } = await import('../../operations/crate/dataset.ts');
    const attempts = await attemptsOf(client, id, (options['job'] as number[] | undefined) ?? [], datasetId(path));
    const { folderFacts } = await import('../../operations/crate/folder.ts');
    const hashMode = options['hashMode'] as HashMode;
    const readAtOnce = (options['threads'] as number | undefined) ?? availableParallelism();
    const facts = await folderFacts(path, hashMode, readAtOnce).catch((cause: unknown) => {
      throw new Failure(`${path} cannot be read: ${(cause as Error).message}; nothing was written`, { cause });
    });
    const dataset = datasetEntity({
      name: options['name'] as string,
      path,
      facts,
      hashMode,
      description: options['description'] as string | undefined,
      encodingFormat: options['encodingFormat'] as string | undefined,
      madeBy: attempts.map((attempt) => attempt.entity_id),
      metadata: options['metadata'] as RoCrateEntity['metadata'] | undefined,
    });
    const entity = await put(client, id, dataset, () => dataset.metadata);
    const { withResult } = await import('../../operations/crate/dataset.ts');
    for (const attempt of attempts)
      await put(client, id, attempt, ({ metadata }) => withResult(metadata, dataset.entity_id));
    output.record(
      'dataset',
      entity,
      `Dataset ${dataset.entity_id} of workflow ${id}: ${counted(facts.fileCount, 'file')}, ${facts.sizeBytes} bytes (RO-Crate entity ${entity.id})`,
    );
  },
};

function refuseNoFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Failure(`${path}: the folder does not exist`);
  if (!found.isDirectory()) throw new Failure(`${path} is not a folder; describe a file with torc ro-crate create`);
}

/** The attempts of jobs that produced the dataset, described unless they already are. */
async function attemptsOf(
  client: Client,
  workflowId: number,
  jobIds: readonly number[],
  datasetId: string,
): Promise<Entity[]> {
  const { attemptEntity } = await import('../../runner/end/crate/entities.ts');
  if (jobIds.length === 0) return [];
  const params = { id: workflowId };
  const { run_id: runId } = await client.getWorkflow({ params });
  const entities = await all((page) => client.listRoCrateEntities({ params, query: page }));
  const files = await all((page) => client.listFiles({ query: { workflow_id: workflowId, ...page } }));
  const named = new Map(entities.map(({ file_id: fileId, entity_id: name }) => [fileId, name]));
  const names = new Map(files.map(({ id, path }) => [id, named.get(id) ?? path]));
  const namesOf = (ids: readonly number[] | null | undefined) =>
    (ids ?? []).map((id) => names.get(id) ?? `#file-${id}`);
  const attempts: Entity[] = [];
  for (const jobId of new Set(jobIds)) {
    const job = await client.getJob({ params: { id: jobId } });
    if (job.workflow_id !== workflowId)
      throw new Failure(`job ${jobId} belongs to workflow ${job.workflow_id}, not ${workflowId}; nothing was written`);
    const query = { workflow_id: workflowId, job_id: jobId };
    const [result] = (await client.listResults({ query })).items;
    attempts.push(
      attemptEntity({
        runId: result?.run_id ?? runId ?? 0,
        jobId,
        attempt: result?.attempt_id ?? job.attempt_id ?? 1,
        name: job.name,
        endTime: result?.completion_time,
        inputs: namesOf(job.input_file_ids),
        outputs: [...namesOf(job.output_file_ids), datasetId],
      }),
    );
  }
  return attempts;
}

/** Stores an entity, or changes the metadata of the existing one with `change`; undefined keeps it. */
async function put(
  client: Client,
  workflowId: number,
  entity: Entity,
  change: (before: RoCrateEntity) => RoCrateEntity['metadata'] | undefined,
): Promise<RoCrateEntity> {
  const query = { entity_id: entity.entity_id, limit: 1 };
  const [before] = (await client.listRoCrateEntities({ params: { id: workflowId }, query })).items;
  if (before === undefined) return client.createRoCrateEntity({ body: { workflow_id: workflowId, ...entity } });
  const metadata = change(before);
  if (metadata === undefined) return before;
  return client.updateRoCrateEntity({ params: { id: before.id as number }, body: { ...before, metadata } });
}

/** Commands that read files of this machine, or write one. */
export const roCrateFileCommands: readonly Command[] = [roCrateExport, roCrateAddDataset];
