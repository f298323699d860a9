import { chooseWorkflow } from '../../choose-workflow.ts';
import type { Command } from '../../command.ts';
import { readInput } from '../../read-input.ts';

const exportWorkflow: Command = {
  words: 'workflows export [workflow]',
  says: 'Write a workflow with all its records as JSON, for another server.',
  options: [
    { flags: '-o, --output <file>', says: 'write to this file instead of standard output' },
    { flags: '--include-results', says: 'include the results of all runs and the compute nodes that they name' },
    { flags: '--include-events', says: 'include the events that users and programs created' },
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('export');
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const { writeWorkflow } = await import('../../transfer/write.ts');
    const settings = {
      includesResults: options['includeResults'] === true,
      includesEvents: options['includeEvents'] === true,
      exportedAt: new Date().toISOString(),
    };
    const path = options['output'] as string | undefined;
    if (path === undefined) {
      await writeWorkflow(client, id, settings, (text) => output.text(text));
      return;
    }
    const { writeWhole } = await import('../../transfer/whole-file.ts');
    const { name, counts } = await writeWhole(path, (write) => writeWorkflow(client, id, settings, write));
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
};

const importWorkflow: Command = {
  words: 'workflows import <file>',
  says: 'Create a workflow from an exported file, or from standard input ("-").',
  more: 'Its records get new ids and its jobs start again, uninitialized. It belongs to the user who imports it.',
  options: [
    { flags: '--name <name>', says: 'name instead of the exported one' },
    { flags: '--skip-results', says: 'without the results in the file' },
    { flags: '--skip-events', says: 'events are never imported; accepted for compatibility with scripts' },
  ],
  async run({ service, settings, output, hint }, [given], options) {
    output.recordOnly('import');
    const path = given as string;
    const { readDocument } = await import('../../transfer/document.ts');
    const { checkedLevels } = await import('../../transfer/check.ts');
    const { recreate } = await import('../../transfer/recreate.ts');
    const document = readDocument(readInput(path, 'an exported workflow'), path, hint);
    const levels = checkedLevels(document, path);
    const { client } = await service();
    const includesResults = options['skipResults'] !== true;
    const name = options['name'] as string | undefined;
    const id = await recreate(client, document, levels, { name, user: settings.user, includesResults });
    const counts = {
      jobs: document.jobs.length,
      files: document.files.length,
      user_data: document.user_data.length,
      results: includesResults ? document.results.length : 0,
      compute_nodes: includesResults ? document.compute_nodes.length : 0,
    };
    const workflowName = name ?? document.workflow.name;
    output.record(
      'import',
      { success: true, workflow_id: id, workflow_name: workflowName, ...counts },
      `Imported workflow ${id} (${workflowName}): ${countsText(Object.entries(counts))}`,
    );
  },
};

/** `3 jobs, 2 files`: the kinds that exist. */
function countsText(counts: readonly (readonly [string, number])[]): string {
  const some = counts.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`);
  return some.length === 0 ? 'nothing' : some.join(', ');
}

export const workflowTransfer: readonly Command[] = [exportWorkflow, importWorkflow];
