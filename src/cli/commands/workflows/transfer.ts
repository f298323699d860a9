import { join } from 'node:path';
import { counted } from '../../../core/quantity/count-text.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { readInput } from '../../terminal/read-input.ts';
import { option } from '../../command/option.ts';
import { packageRoot } from '../../../operations/run/package-root.ts';

const exportCommand = command('workflows export [workflow]', {
  says: 'Write a workflow with all its records as JSON, for another server, or as a workflow file.',
  example: '1 -o sweep.json',
  more:
    'As YAML or KDL it is a workflow file: its jobs, files and settings, each by itself, for torc create and torc run. Torc 1.0.0 reads it, too: fields that ' +
    'Torc does not know stand in metadata.additions. What no workflow file can say is named.',
  options: [
    option('-o, --output <file>', 'write to this file instead of standard output'),
    option(
      '-f, --format <format>',
      'all records as JSON, or a workflow file; otherwise what the name of the file says',
      {
        choices: ['json', 'yaml', 'kdl'],
      },
    ),
    option('--include-results', 'include the results of all runs and the compute nodes that they name'),
    option('--include-events', 'include the events that users and programs created'),
  ],
  async run(context, [given], options) {
    const { output } = context;
    const path = options.output;
    const format = formatAsked(options.format) ?? (await workflowFormat(path));
    if (format !== 'json') return exportAsFile(context, given, { ...options, format });
    const { id, client } = await openWorkflow(context, given);
    const { exportWorkflow } = await import('../../../operations/transfer/export.ts');
    const settings = {
      includesResults: options.includeResults === true,
      includesEvents: options.includeEvents === true,
      exportedAt: new Date().toISOString(),
    };
    if (path === undefined) {
      await exportWorkflow(client, id, settings, (text) => output.text(text));
      return;
    }
    const { writeWhole } = await import('../../../operations/whole-file.ts');
    const { name, counts } = await writeWhole(path, (write) => exportWorkflow(client, id, settings, write));
    const count = (section: string) => counts.get(section) ?? 0;
    const record = {
      success: true,
      workflow_id: id,
      workflow_name: name,
      output_file: path,
      jobs: count('jobs'),
      files: count('files'),
      user_data: count('user_data'),
      results: count('results'),
      events: count('events'),
    };
    // Scripts of Torc ask for the format of this record, which is that of the file, too.
    if (options.format === 'json') output.json(record);
    else output.text(`Exported workflow ${id} (${name}) to ${path}: ${countsText([...counts])}`);
  },
});

/** Without its own option the command gets that of all commands: its tables and CSV are no formats of a file. */
const formatAsked = (given: string | undefined): 'json' | 'yaml' | 'kdl' | undefined =>
  given === 'json' || given === 'yaml' || given === 'kdl' ? given : undefined;

/** The format of a workflow file that a name says; JSON is that of all records. */
async function workflowFormat(path: string | undefined): Promise<'json' | 'yaml' | 'kdl'> {
  if (path === undefined) return 'json';
  const { formatOfName } = await import('../../../core/workflow-file/text/read-text.ts');
  const format = formatOfName(path);
  return format === 'yaml' || format === 'kdl' ? format : 'json';
}

interface FileOptions {
  readonly format: 'yaml' | 'kdl';
  readonly output: string | undefined;
  readonly includeResults: unknown;
  readonly includeEvents: unknown;
}

async function exportAsFile(context: Context, workflow: string | undefined, options: FileOptions): Promise<void> {
  const { output } = context;
  const name = options.format.toUpperCase();
  if (options.includeResults === true || options.includeEvents === true)
    throw new UsageError(`a workflow file in ${name} has no results and no events; --format json has them`);
  const { id, client } = await openWorkflow(context, workflow);
  const { planOfServer } = await import('../../../client/compat/plan-of-server.ts');
  const { writeStored } = await import('../../../core/workflow-file/write/write-stored.ts');
  const stored = await planOfServer(client, id);
  const { text, notes, errors } = writeStored(stored, options.format);
  if (errors.length > 0)
    throw new Failure(`workflow ${id} cannot be written as a workflow file: ${errors[0]}. --format json writes it.`);
  for (const note of notes) output.warn(`not in the file as it is stored: ${note}`);
  if (options.output === undefined) return output.text(text.trimEnd());
  const { writeTextFile } = await import('../../../operations/whole-file.ts');
  await writeTextFile(options.output, text);
  output.text(
    `Exported workflow ${id} (${stored.workflow.name}) to ${options.output}: ${countsText([
      ['jobs', stored.jobs.length],
      ['files', stored.files.length],
      ['user_data', stored.userData.length],
    ])}`,
  );
}

const importCommand = command('workflows import <file>', {
  says: 'Create a workflow from an exported file, or from standard input ("-").',
  example: 'sweep.json --name copy',
  kinds: { file: 'exported workflow' },
  makesDatabase: true,
  more: 'Its records get new ids and its jobs start again, uninitialized. It belongs to the user who imports it.',
  options: [
    option('--name <name>', 'name instead of the exported one'),
    option('--skip-results', 'without the results in the file'),
    option('--skip-events', 'events are never imported; accepted for compatibility with scripts'),
  ],
  async run({ service, settings, output }, [given], options) {
    output.recordOnly('import');
    const path = given;
    const { importWorkflow, readImport } = await import('../../../operations/transfer/import.ts');
    const checked = readImport(readInput(path, 'an exported workflow'), path);
    const { client } = await service();
    const { id, name, counts } = await importWorkflow(client, checked, {
      name: options.name,
      user: settings.user,
      includesResults: options.skipResults !== true,
    });
    output.record(
      'import',
      { success: true, workflow_id: id, workflow_name: name, ...counts },
      `Imported workflow ${id} (${name}): ${countsText(Object.entries(counts))}`,
    );
  },
});

/** `3 jobs, 2 files`: the kinds that exist. */
function countsText(counts: readonly (readonly [string, number])[]): string {
  const some = counts.filter(([, count]) => count > 0).map(([what, count]) => counted(count, ...wordsOf(what)));
  return some.length === 0 ? 'nothing' : some.join(', ');
}

/** The words for one and for several records of a section: `compute_nodes` are compute nodes, `user_data` and requirements have one word. */
function wordsOf(section: string): [one: string, several: string] {
  if (section === 'ro_crate_entities') return ['entity of the RO-Crate', 'entities of the RO-Crate'];
  const several = section.replaceAll('_', ' ');
  return [section === 'resource_requirements' ? several : several.replace(/s$/, ''), several];
}

export const workflowTransfer: readonly Command[] = [exportCommand, importCommand];

/** Where the package keeps the schema that this command prints. */
const SCHEMA = 'api/workflow.schema.json';

export const workflowsSchema = command('workflows schema', {
  says: 'Print the JSON Schema of workflow files, with which editors complete and check them.',
  more:
    'torc workflows schema > torc.schema.json\n\n' +
    'Then put this line first in a YAML file:\n\n' +
    '# yaml-language-server: $schema=torc.schema.json',
  options: [option('--path', 'print where the file with the schema is in this installation')],
  offline: true,
  async run({ output }, _args, options) {
    if (options.path === true) {
      const path = join(packageRoot(), SCHEMA);
      return output.format === 'json' ? output.json({ path }) : output.text(path);
    }
    const { specJsonSchema } = await import('../../../core/workflow-file/shape/json-schema.ts');
    output.json(specJsonSchema());
  },
});
