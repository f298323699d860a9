import { restrictFiles } from '../../../cluster/umask.ts';
import { command } from '../../command/command.ts';
import { workflowId } from '../../choose/choose-workflow.ts';
import { idOrName } from '../../choose/id-or-name.ts';
import { option } from '../../command/option.ts';

export const serverExport = command('export [workflow...]', {
  says: 'Write some workflows of a database into a separate database; a server may be using the source.',
  example: '1 --database torc.db --output one.db',
  more: 'Exports the named workflows, those of --user and those shared with --access-group; all if nothing is named.',
  offline: true,
  options: [
    option('-o, --output <path>', 'the database to write', { required: true }),
    option('-d, --database <path>', 'the database to read (DATABASE_URL; default torc.db)', {
      setting: 'server.database',
    }),
    option('--user <user>', 'workflows of this user; may be repeated', { many: true }),
    option('--access-group <group>', 'workflows shared with this group, by id or name; may be repeated', {
      many: true,
      read: (text: string) => idOrName('access group', text),
    }),
    option('--overwrite', 'replace an existing file'),
    option('--preserve-access-groups', 'keep the groups that the workflows are shared with, and their members'),
    option('--no-vacuum', 'do not compact the file: faster, and larger'),
  ],
  async run({ output, configuration }, [given], options) {
    restrictFiles(configuration['server.umask']);
    const target = options.output;
    const ids = (given ?? []).map(workflowId);
    const { exportWorkflows } = await import('../../../server/export/export.ts');
    const { pathOfDatabase } = await import('../../command/path-of-database.ts');
    const { refusedStart } = await import('./refused-start.ts');
    const database = pathOfDatabase(options.database ?? 'torc.db');
    try {
      const { workflows, jobs } = exportWorkflows({
        ids,
        users: options.user ?? [],
        groups: (options.accessGroup ?? []).map((group) => ('id' in group ? group.id : group.name)),
        database,
        output: target,
        isOverwriting: options.overwrite === true,
        keepsGroups: options.preserveAccessGroups === true,
        vacuums: options.vacuum !== false,
      });
      const missing = ids.filter((id) => !workflows.includes(id));
      if (missing.length > 0) output.warn(`not in the database: workflow ${missing.join(', ')}`);
      output.text(`Exported ${workflows.length} workflow(s) with ${jobs} job(s) to ${target}`);
    } catch (error) {
      throw refusedStart(error, { host: '', port: 0, database });
    }
  },
});
