import type { UptimeSpan } from '../../../../telemetry/questions/uptime.ts';
import { command } from '../../../command/command.ts';
import { integerOption, option } from '../../../command/option.ts';
import type { Column } from '../../../output/table.ts';
import { right, seconds, time } from '../../../samples/columns.ts';
import { nodeOption, ask, print, windowOptions } from './window.ts';

const uptimeColumns: readonly Column<UptimeSpan>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  { title: 'State', value: ({ state }) => state, importance: 9 },
  time('From', ({ from }) => from),
  time('To', ({ until }) => until),
  seconds('Length', ({ from, until }) => until - from),
  { title: 'Samples', value: ({ samples }) => samples, align: right },
  { title: 'Booted', value: ({ isBooted }) => (isBooted ? 'yes' : '') },
];

export const showUptime = command('sonar show uptime', {
  says: 'Show when nodes sent samples and when they were silent.',
  options: [
    ...windowOptions,
    nodeOption,
    option('--interval <seconds>', 'how often nodes send (default: the median of each node, at least 300)', {
      read: integerOption(1),
    }),
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { uptimeOf } = await import('../../../../telemetry/questions/uptime.ts');
    print(
      output,
      'spans',
      await ask(options, (questions, window) => uptimeOf(questions, window, options.interval)),
      uptimeColumns,
    );
  },
});
