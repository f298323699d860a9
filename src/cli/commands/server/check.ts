import { counted } from '../../../core/quantity/count-text.ts';
import { command } from '../../command/command.ts';
import { option } from '../../command/option.ts';
import { Failure } from '../../command/failure.ts';

/** What is checked, in the words of a report. */
const KINDS: Readonly<Record<string, string>> = {
  pages: 'pages of the file',
  references: 'references between records',
  counts: 'counts of jobs',
  edges: 'edges between jobs, files and user data',
  waits: 'jobs that wait for others',
  claims: 'claims of runners',
  results: 'results of jobs',
  needs: 'needs of jobs',
};

const ADVICE =
  'Move the file away with its -wal and -shm, and put the newest copy that passes this check in its place (a server writes one on SIGUSR1). Without one, `sqlite3 FILE .recover` saves what can be read into a new file.';

export const serverCheck = command('check', {
  says: 'Check a database: its pages, its references, and whether counts, edges and claims agree.',
  example: '--database torc.db',
  more: 'Changes nothing in the database, which a server may be using. Ends with 1 if something is wrong. A database in which a server met damage is used again after a check that finds nothing.',
  offline: true,
  options: [
    option('-d, --database <path>', 'the database to check (DATABASE_URL; default torc.db)', {
      setting: 'server.database',
    }),
  ],
  async run({ output }, _args, options) {
    const { checkDatabase } = await import('../../../server/check/check.ts');
    const { pathOfDatabase } = await import('../../command/path-of-database.ts');
    const { refusedStart } = await import('./refused-start.ts');
    const database = pathOfDatabase(options.database ?? 'torc.db');
    const { faults, mark, isOtherVersion } = (() => {
      try {
        return checkDatabase(database);
      } catch (error) {
        throw refusedStart(error, { host: '', port: 0, database });
      }
    })();
    const found = Object.entries(faults);
    const lines = found.flatMap(([kind, { sentences, more }]) => [
      `${KINDS[kind] ?? kind}:`,
      ...sentences.map((sentence) => `  ${sentence}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ]);
    const passed = `${database}: nothing is wrong${mark === undefined ? '' : `; a server may use it again (${mark})`}`;
    output.record('check', { database, faults, mark: mark ?? null }, found.length === 0 ? passed : lines.join('\n'));
    if (isOtherVersion)
      output.notice('Its tables are those of another version of torc: counts, edges and claims were not checked.');
    if (found.length === 0) return;
    const count = found.reduce((sum, [, { sentences, more }]) => sum + sentences.length + more, 0);
    throw new Failure(`${counted(count, 'fault')} in ${database}${'pages' in faults ? `. ${ADVICE}` : ''}`);
  },
});
