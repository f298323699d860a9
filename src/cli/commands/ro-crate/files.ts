import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { recordKinds, recordsWithin } from '../../choose/choose-record.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { hashModes } from '../../../operations/crate/hash-mode.ts';
import { jsonObject } from '../../command/json-object.ts';
import { integerOption, option } from '../../command/option.ts';
import { counted } from '../../../core/quantity/count-text.ts';

const roCrateExport = command('ro-crate export [workflow]', {
  says: 'Write what was run as an RO-Crate 1.1 document (ro-crate-metadata.json): a Workflow Run Crate.',
  example:
    "1 -o ro-crate-metadata.json --license https://creativecommons.org/licenses/by/4.0/ --author 'Ada Lovelace 0000-0002-1825-0097'",
  more: 'It has the command lines, times and ends of attempts, values that jobs read, containers, files and the workflow file. Passwords and keys in command lines are masked, as far as they look like some. A file with an identifier is named by it wherever another entity refers to its path. Properties stored for "./", such as a licence, belong to the root.',
  options: [
    option('-o, --output <file>', 'write to this file instead of standard output'),
    option('--license <license>', 'the licence, best as a URL'),
    option('--author <person>', 'an author, with the ORCID iD behind the name; may be repeated', { many: true }),
    option('--description <text>', 'description of the research object (default: that of the workflow)'),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('ro-crate export');
    const { id, client } = await openWorkflow(context, given);
    const { exportCrate } = await import('../../../operations/crate/export-crate.ts');
    const path = options.output;
    const { document, entities, lacks } = await exportCrate(client, id, {
      authors: options.author ?? [],
      license: options.license,
      description: options.description,
      folder: dirname(resolve(path ?? 'ro-crate-metadata.json')),
    });
    const text = JSON.stringify(document, undefined, 2);
    for (const words of lacks) output.warn(words);
    if (path === undefined) return output.text(text);
    const { writeWhole } = await import('../../../operations/whole-file.ts');
    await writeWhole(path, (write) => write(text));
    output.record(
      'ro-crate export',
      { workflow_id: id, output_file: path, entities },
      `Exported ${counted(entities, 'RO-Crate entity', 'RO-Crate entities')} of workflow ${id} to ${path}`,
    );
  },
});

const roCrateAddDataset = command('ro-crate add-dataset [workflow]', {
  says: 'Describe a folder as a dataset of the research object: its size, its files, a hash, and the jobs that produced it.',
  example: '1 --name results --path results/',
  more: 'An existing dataset is described again. The hash "manifest" covers names, sizes and times, "content" the contents of the files.',
  options: [
    option('--name <name>', 'name of the dataset', { required: true }),
    option('--path <folder>', 'the folder', { required: true }),
    option('--hash-mode <mode>', 'what the hash covers', { default: 'manifest', choices: hashModes }),
    option('--description <text>', 'description of the dataset'),
    option('--encoding-format <type>', 'the media type of its files'),
    option('-t, --threads <n>', 'number of files read at once (default: number of CPUs)', {
      read: integerOption(1),
    }),
    option('-j, --job-id <job...>', 'jobs that produced it, by id or name', { many: true }),
    option('--job <job...>', 'the same as --job-id', { many: true, isHidden: true }),
    option('--metadata <json>', 'additional properties, as a JSON object; they have precedence', {
      read: jsonObject,
    }),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('dataset');
    const { id, client } = await openWorkflow(context, given);
    const { addDataset } = await import('../../../operations/crate/add-dataset.ts');
    const { entity, facts } = await addDataset(client, id, {
      name: options.name,
      path: options.path,
      hashMode: options.hashMode,
      description: options.description,
      encodingFormat: options.encodingFormat,
      metadata: options.metadata,
      jobIds: await recordsWithin(context, recordKinds.job, id, [...(options.jobId ?? []), ...(options.job ?? [])]),
      together: options.threads ?? availableParallelism(),
    });
    output.record(
      'dataset',
      entity,
      `Dataset ${entity.entity_id} of workflow ${id}: ${counted(facts.fileCount, 'file')}, ${facts.sizeBytes} bytes (RO-Crate entity ${entity.id})`,
    );
  },
});

/** Commands that read files of this machine, or write one. */
export const roCrateFileCommands: readonly Command[] = [roCrateExport, roCrateAddDataset];
