import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import { grouped } from '../../../core/quantity/count-text.ts';
import type { ClosedReport } from '../../../telemetry/store/telemetry-store.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { readTime } from './read-time.ts';
import { storeOption, withStore } from './store.ts';
import { option } from '../../command/option.ts';

/** Samples of two weeks are what most questions are about. */
const HOT = '14d';

export const closeDaysCommand = command('sonar close', {
  says: 'Move the samples of days that are over into compressed files.',
  more:
    'Each day of a cluster becomes a few Parquet files beside the store, in STORE-archive, with a sixth of the bytes. Questions and exports read ' +
    'them as before, and torc sonar prune deletes them. It needs DuckDB: torc add duckdb. A server ' +
    'that receives telemetry closes days by itself. In PostgreSQL samples stay where they are, and what jobs and nodes did in each hour is added up.',
  options: [
    storeOption,
    option('--before <time>', 'days that ended before this time, such as 2026-03-01 or 1d (in UTC)', { default: HOT }),
  ],
  offline: true,
  async run({ output, configuration }, _args, options) {
    const before = readTime(options.before, '--before');
    const now = Math.floor(Date.now() / 1000);
    const items = await withStore(options.store, { umask: configuration['server.umask'] }, async (store) => {
      if (store.closeDays === undefined)
        throw new Failure('this store has no days to close: it keeps them in partitions');
      return Array.fromAsync(store.closeDays({ before, now }));
    });
    output.list<ClosedReport>({
      items,
      columns: [
        { title: 'Day', value: ({ day }) => day, importance: 9 },
        { title: 'Cluster', value: ({ cluster }) => cluster },
        { title: 'Samples', value: ({ samples }) => samples, text: ({ samples }) => grouped(samples), align: 'right' },
        {
          title: 'Process Rows',
          value: ({ processes }) => processes,
          text: ({ processes }) => grouped(processes),
          align: 'right',
        },
        { title: 'Size', value: ({ bytes }) => bytes, text: ({ bytes }) => sizeText(bytes), align: 'right' },
      ],
      things: 'days',
      empty: `Nothing to close: no day before ${formatTimestamp(before).slice(0, 10)} is open`,
      json: { items },
    });
  },
});
