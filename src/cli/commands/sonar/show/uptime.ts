import { formatTimestamp } from '../../../../core/contract/sonar/timestamp.ts';
import type { UptimeSpan } from '../../../../telemetry/questions/uptime.ts';
import { command } from '../../../command.ts';
import { integer } from '../../../option.ts';
import type { Column } from '../../../output/table.ts';
import { secondsText } from '../../../output/words.ts';
import { nodeOption, ask, timeText, right, print, windowOptions } from './window.ts';

const uptimeColumns: readonly Column<UptimeSpan>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  { title: 'State', value: ({ state }) => state, importance: 9 },
  { title: 'From', value: ({ from }) => formatTimestamp(from), text: ({ from }) => timeText(from) },
  { title: 'To', value: ({ until }) => formatTimestamp(until), text: ({ until }) => timeText(until) },
  {
    title: 'Length',
    value: ({ from, until }) => until - from,
    text: ({ from, until }) => secondsText(until - from),
    align: right,
  },
  { title: 'Samples', value: ({ samples }) => samples, align: right },
  { title: 'Booted', value: ({ isBooted }) => (isBooted ? 'yes' : '') },
];

export const showUptime = command({
  words: 'sonar show uptime',
  says: 'Show when nodes sent samples and when they were silent.',
  options: [
    ...windowOptions,
    nodeOption,
    {
      flags: '--interval <seconds>',
      says: 'how often nodes send (default: the median of each node, at least 300)',
      read: integer('--interval', 1),
    },
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
