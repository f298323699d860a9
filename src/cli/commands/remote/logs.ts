import { displayed } from '../../../core/remote/worker-line.ts';
import { collectLogs, type Collected } from '../../../operations/remote/collect-logs.ts';
import { deleteLogs } from '../../../operations/remote/delete-logs.ts';
import { withSsh } from '../../../operations/remote/with-ssh.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { noPrompts } from '../../choose/agree.ts';
import { confirm, isPersonThere } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { option } from '../../command/option.ts';
import { amount } from '../../output/columns.ts';
import type { Column } from '../../output/table.ts';
import { memoryText } from '../../output/words.ts';
import { atOnceOption, faultText, hostsDone, hostsOf, listHosts, remoteOutputDirOption } from './hosts.ts';

const columns: readonly Column<Collected>[] = [
  { title: 'Host', value: ({ worker }) => displayed(worker), cut: 'middle', importance: 9 },
  { title: 'Result', value: ({ is }) => is, importance: 8 },
  { title: 'Files', value: ({ files }) => files, align: 'right', importance: 4 },
  amount('Size', ({ bytes }) => bytes, memoryText, { importance: 5 }),
  { title: 'Detail', value: (each) => faultText(each) || (each.path ?? ''), importance: 7 },
];

const jsonOf = ({ is, bytesBefore, ...rest }: Omit<Collected, 'worker'>) => ({
  result: is,
  ...rest,
  bytes_before: bytesBefore,
});

export const remoteCollectLogs = command('remote collect-logs [workflow]', {
  says: 'Fetch the logs of a workflow and of its jobs from its hosts, an archive from each.',
  more: 'A call that was interrupted continues with the next one. Archives that exist are never overwritten.',
  options: [
    option('-l, --local-output-dir <folder>', 'folder for the archives', { default: 'remote_logs' }),
    remoteOutputDirOption,
    atOnceOption,
    option('--delete', 'delete on the hosts what was fetched'),
  ],
  async run(context, [workflow], options) {
    const { id, workers } = await hostsOf(context, workflow);
    const items = await withSsh(
      { workflowId: id, outputDir: options.remoteOutputDir, atOnce: options.maxParallelSsh },
      (common) =>
        collectLogs(workers, {
          ...common,
          folder: options.localOutputDir,
          deletes: options.delete === true,
          onDone: hostsDone(context.output, workers.length),
        }),
    );
    listHosts(context, items, { title: `Logs of workflow ${id}:`, columns, jsonOf });
    if (items.some(({ is }) => is === 'failed')) context.exitWith(1);
  },
});

export const remoteDeleteLogs = command('remote delete-logs [workflow]', {
  says: 'Delete the logs of a workflow and of its jobs on its hosts.',
  more: [
    'Asks first on a terminal. Files of other workflows, and results that the server may not have yet, stay. Refuses on a host whose',
    'logs were collected in part.',
  ].join(' '),
  options: [
    remoteOutputDirOption,
    atOnceOption,
    option('--uncollected', 'delete also logs whose collection began and did not end'),
    noPrompts,
  ],
  async run(context, [workflow], options) {
    const { output } = context;
    const { id, workers } = await hostsOf(context, workflow);
    const asks = options.prompts !== false && isPersonThere(output);
    const question = `Delete the logs of workflow ${id} on ${counted(workers.length, 'host')}?`;
    if (asks && !(await confirm(context, question))) return output.detail('Nothing was deleted.');
    const items = await withSsh(
      { workflowId: id, outputDir: options.remoteOutputDir, atOnce: options.maxParallelSsh },
      (common) =>
        deleteLogs(workers, {
          ...common,
          uncollected: options.uncollected === true,
          onDone: hostsDone(context.output, workers.length),
        }),
    );
    listHosts(context, items, { title: `Logs of workflow ${id}:`, columns, jsonOf });
    if (items.some(({ is }) => is === 'failed')) context.exitWith(1);
  },
});
