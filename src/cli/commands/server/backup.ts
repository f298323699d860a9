import { restrictFiles } from '../../../cluster/umask.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { command } from '../../command/command.ts';
import { option } from '../../command/option.ts';
import { pathOfDatabase } from '../../command/path-of-database.ts';
import { refusing } from './refused-start.ts';

const room = () => import('../../../server/backup/backup.ts');

const database = option('-d, --database <path>', 'the database (DATABASE_URL; default torc.db)', {
  setting: 'server.database',
});

export const serverBackup = command('backup <file>', {
  says: 'Copy a database into a file, while a server uses it or not.',
  example: 'backup.db --database torc.db',
  more: 'The copy is the database at one moment. It is checked, and gets its name when it is complete.',
  offline: true,
  options: [database, option('--overwrite', 'replace an existing file')],
  async run({ output, configuration }, [file], options) {
    restrictFiles(configuration['server.umask']);
    output.recordOnly('a backup');
    const path = pathOfDatabase(options.database ?? 'torc.db');
    const { backUp } = await room();
    const found = refusing(path, () => backUp(path, file, options.overwrite === true));
    output.record('backup', { database: path, file, ...found }, `Backed up ${path} to ${file}: ${contents(found)}`);
  },
});

export const serverRestore = command('restore <file>', {
  says: 'Put a backup in the place of a database that no server uses; the one that was there is kept beside it.',
  example: 'backup.db --database torc.db',
  more: 'Runners that have reported more than the backup knows keep their results: see docs/how-to/move-a-server.md.',
  offline: true,
  options: [
    database,
    option('--trust-owner', 'also where another user owns or may write the database (TORC_TRUST_OWNER)', {
      setting: 'server.trust_owner',
    }),
  ],
  async run({ output, configuration }, [file], options) {
    restrictFiles(configuration['server.umask']);
    output.recordOnly('a restore');
    const path = pathOfDatabase(options.database ?? 'torc.db');
    const { restore } = await room();
    const found = refusing(path, () => restore(file, path, new Date(), { trustsOwner: options.trustOwner === true }));
    output.record(
      'restore',
      { database: path, file, ...found, before: found.before ?? null },
      `Restored ${path} from ${file}: ${contents(found)}`,
    );
    if (found.before !== undefined) output.notice(`What was there is ${found.before}.`);
  },
});

const contents = ({ workflows, jobs }: { readonly workflows: number; readonly jobs: number }) =>
  `${counted(workflows, 'workflow')}, ${counted(jobs, 'job')}`;
