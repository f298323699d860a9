import { counted } from '../../../core/quantity/count-text.ts';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { command } from '../../command/command.ts';
import { readTime } from './read-time.ts';
import { storeOption, withStore } from './store.ts';
import { option } from '../../command/option.ts';

export const pruneStore = command('sonar prune', {
  says: 'Delete telemetry from before a time.',
  example: '--before 14d',
  more:
    'The newest facts of each node and cluster stay, and the records of Slurm jobs. Of closed days, only whole ones are deleted. What is deleted would be stored again by an ' +
    'ingest of the same files.',
  options: [storeOption, option('--before <time>', 'such as 2026-03-01 or 14d', { required: true, read: readTime })],
  offline: true,
  async run({ output, configuration }, _args, options) {
    output.recordOnly('sonar prune');
    const deleted = await withStore(options.store, { umask: configuration['server.umask'] }, (store) =>
      store.prune(options.before),
    );
    const before = formatTimestamp(options.before);
    output.record('sonar prune', { deleted, before }, `Deleted ${counted(deleted, 'envelope')} from before ${before}`);
  },
});
