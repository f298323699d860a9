import { counted } from '../../../core/quantity/count-text.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { option } from '../../command/option.ts';
import { pathOfDatabase } from '../../command/path-of-database.ts';
import { userOf } from '../../command/settings.ts';
import { restrictFiles } from '../../../cluster/umask.ts';
import { refusing } from './refused-start.ts';

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
  'Move the file away with its -wal and -shm, and put the newest copy that passes this check in its place (a server writes one on SIGUSR1). Without one, `torc-server check --repair FILE` saves what can be read into a new file.';

export const serverCheck = command('check', {
  says: 'Check a database: its pages, its references, and whether counts, edges and claims agree.',
  example: '--database torc.db',
  more: 'Changes nothing in the database, which a server may be using. Ends with 1 if something is wrong. A database in which a server met damage is used again after a check that finds nothing.\nWith --repair it only reads the database, which no server may use, and says of each table how many rows were saved and lost.',
  offline: true,
  options: [
    option('-d, --database <path>', 'the database to check (DATABASE_URL; default torc.db)', {
      setting: 'server.database',
    }),
    option('--repair <file>', 'save what can be read of a damaged database into this file, which must not be there'),
  ],
  async run(context, _args, options) {
    if (options.repair !== undefined) return repaired(context, options.repair, options.database);
    const { output } = context;
    const { checkDatabase } = await import('../../../server/check/check.ts');
    const database = pathOfDatabase(options.database ?? 'torc.db');
    const { faults, mark, isOtherVersion } = refusing(database, () => checkDatabase(database));
    const found = Object.entries(faults);
    const lines = faultLines(faults);
    const passed = `${database}: nothing is wrong${mark === undefined ? '' : `; a server may use it again (${mark})`}`;
    output.record('check', { database, faults, mark: mark ?? null }, found.length === 0 ? passed : lines.join('\n'));
    if (isOtherVersion)
      output.notice('Its tables are those of another version of torc: counts, edges and claims were not checked.');
    if (found.length === 0) return;
    const count = found.reduce((sum, [, { sentences, more }]) => sum + sentences.length + more, 0);
    throw new Failure(`${counted(count, 'fault')} in ${database}${'pages' in faults ? `. ${ADVICE}` : ''}`);
  },
});

type Faults = Readonly<Record<string, { readonly sentences: readonly string[]; readonly more: number }>>;

const faultLines = (faults: Faults): string[] =>
  Object.entries(faults).flatMap(([kind, { sentences, more }]) => [
    `${KINDS[kind] ?? kind}:`,
    ...sentences.map((sentence) => `  ${sentence}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]);

/** Saves what can be read, and says what that is. */
async function repaired({ output, configuration, environment }: Context, file: string, name?: string): Promise<void> {
  restrictFiles(configuration['server.umask']);
  output.recordOnly('a repair');
  const database = pathOfDatabase(name ?? 'torc.db');
  const { repairDatabase } = await import('../../../server/check/repair/repair.ts');
  const { tables, unassigned, faults } = refusing(database, () => repairDatabase(database, file, userOf(environment)));
  const lostOf = ({ lost, isAtLeast }: (typeof tables)[number]): string =>
    isAtLeast ? (lost === 0 ? 'unknown' : `at least ${lost}`) : String(lost);
  const rows = [['table', 'saved', 'lost'], ...tables.map((each) => [each.table, String(each.saved), lostOf(each)])];
  const width = (column: number) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0);
  const lines = rows.map(([table = '', saved = '', lost = '']) =>
    [table.padEnd(width(0)), saved.padStart(width(1)), lost.padStart(width(2))].join('  '),
  );
  const head = `Saved what can be read of ${database} in ${file}:`;
  output.record('repair', { database, file, tables, unassigned, faults }, [head, ...lines].join('\n'));
  if (unassigned > 0)
    output.warn(
      `${counted(unassigned, 'more row')} could be read; ${unassigned === 1 ? 'its' : 'their'} table is not known.`,
    );
  if (Object.keys(faults).length > 0)
    throw new Failure(`${file} does not pass the check: ${faultLines(faults).join('; ')}`);
  output.notice(`It passes the check. Put it in place: torc-server restore ${file} --database ${database}`);
}
