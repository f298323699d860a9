import { join } from 'node:path';
import { counted } from '../../../core/quantity/count-text.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { readInput } from '../../terminal/read-input.ts';
import { option } from '../../command/option.ts';
import { packageRoot } from '../../../operations/run/package-root.ts';

const exportCommand = command('workflows export [workflow]', {
  says: 'Write a workflow with all its records as JSON, for another server.',
  example: '1 -o sweep.json',
  options: [
    option('-o, --output <file>', 'write to this file instead of standard output'),
    option('--include-results', 'include the results of all runs and the compute nodes that they name'),
    option('--include-events', 'include the events that users and programs created'),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('export');
    const { id, client } = await openWorkflow(context, given);
    const { exportWorkflow } = await import('../../../operations/transfer/export.ts');
    const settings = {
      includesResults: options.includeResults === true,
      includesEvents: options.includeEvents === true,
      exportedAt: new Date().toISOString(),
    };
    const path = options.output;
    if (path === undefined) {
      await exportWorkflow(client, id, settings, (text) => output.text(text));
      return;
    }
    const { writeWhole } = await import('../../../operations/whole-file.ts');
    const { name, counts } = await writeWhole(path, (write) => exportWorkflow(client, id, settings, write));
    const count = (section: string) => counts.get(section) ?? 0;
    output.record(
      'export',
      {
        success: true,
        workflow_id: id,
        workflow_name: name,
        output_file: path,
        jobs: count('jobs'),
        files: count('files'),
        user_data: count('user_data'),
        results: count('results'),
        events: count('events'),
      },
      `Exported workflow ${id} (${name}) to ${path}: ${countsText([...counts])}`,
    );
  },
});

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
