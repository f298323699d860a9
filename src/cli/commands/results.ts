import { sortFields } from '../../core/contract/sort-fields.ts';
import type { Result } from '../../core/contract/result.ts';
import { sentenceOf } from '../../core/attempt/cause.ts';
import { exitCodesOf, storedEndOf } from '../../core/attempt/judge.ts';
import { type Command, command } from '../command/command.ts';
import { checkedByServer, integerOption, option } from '../command/option.ts';
import { recordKinds, recordWithin } from '../choose/choose-record.ts';
import { openWorkflow } from '../choose/choose-workflow.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';
import { idOf } from '../choose/id-or-name.ts';
import { date } from '../output/columns.ts';
import { type Column, shownText } from '../output/table.ts';
import { bytesText, memoryText, percentText, secondsText } from '../output/words.ts';
import { withCauses } from '../../operations/report/views/result-causes.ts';
import { allRows, pagingOptions } from '../records/paging.ts';
import { deleteCommand } from '../records/record-commands.ts';

const columns: readonly Column<Result>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right', importance: 1 },
  { title: 'Job ID', short: 'Job', value: ({ job_id: job }) => job, align: 'right', importance: 6 },
  { title: 'Job Name', short: 'Name', value: ({ job_name: name }) => name, cut: 'middle', importance: 9 },
  { title: 'WF ID', value: ({ workflow_id: workflow }) => workflow, align: 'right', importance: 0 },
  { title: 'Run ID', short: 'Run', value: ({ run_id: run }) => run, align: 'right', importance: 6 },
  { title: 'Attempt', short: 'Try', value: ({ attempt_id: attempt }) => attempt, align: 'right', importance: 6 },
  { title: 'Return Code', short: 'Code', value: ({ return_code: code }) => code, align: 'right', importance: 8 },
  {
    title: 'Exec Time',
    short: 'Time',
    value: ({ exec_time_minutes: minutes }) => secondsText(minutes * 60),
    align: 'right',
    importance: 5,
  },
  {
    title: 'Peak Mem',
    short: 'Memory',
    value: ({ peak_memory_bytes: bytes }) => bytesText(bytes),
    // A job that ended before the first sample was not measured.
    text: ({ peak_memory_bytes: bytes }) => memoryText(bytes || undefined),
    align: 'right',
    importance: 4,
  },
  {
    title: 'Peak CPU %',
    short: 'CPU',
    value: ({ peak_cpu_percent: percent }) => percentText(percent),
    align: 'right',
    importance: 3,
  },
  date('Completion Time', (result) => result.completion_time, { short: 'Ended', importance: 2 }),
  { title: 'Status', value: ({ status }) => status, importance: 8 },
];

/** For results of jobs that used GPUs. */
const gpuMemory: Column<Result> = {
  title: 'Peak GPU Mem',
  short: 'GPU',
  value: ({ peak_gpu_memory_bytes: bytes }) => bytesText(bytes),
  text: ({ peak_gpu_memory_bytes: bytes }) => memoryText(bytes || undefined),
  align: 'right',
  importance: 4,
};

/** The same in every row, so tables leave it out; a program that reads CSV may combine several files. */
const isShown = (title: string, { allRuns, csv }: { allRuns: boolean; csv: boolean }) =>
  csv || (title === 'Run ID' ? allRuns : title !== 'WF ID');

const resultsList = command('results list [workflow]', {
  says: 'List how jobs ended: the current result of each, or with --all-runs all results.',
  example: '1 --failed',
  options: [
    option('-j, --job-id <job>', 'only this job, by id or name'),
    option('-r, --run-id <id>', 'only this run', { read: integerOption(0) }),
    option('--return-code <code>', 'only with this return code', { read: integerOption() }),
    option('--failed', 'only with a return code other than 0'),
    option('-s, --status <status>', 'only with this status', {
      read: checkedByServer<NonNullable<Result['status']>>(),
    }),
    option('--compute-node <id>', 'only this compute node', { read: integerOption(1) }),
    option('--all-runs', 'include all runs and attempts'),
    option('--include-logs', 'as JSON, with the paths of job output and logs'),
    option('-o, --output-dir <folder>', 'with --include-logs: output folder of the runs', { default: 'torc_output' }),
    ...pagingOptions(sortFields.result),
  ],
  async run(context, [workflow], options) {
    const { id, client } = await openWorkflow(context, workflow);
    const jobId = await recordWithin(context, recordKinds.job, id, options.jobId);
    const allRuns = options.allRuns === true;
    const onlyFailed = options.failed === true;
    const { offset, limit } = options;
    // The server has no such filter: all results are read, and the range applies to the remaining ones.
    const found = await allRows(onlyFailed ? { ...options, offset: 0, limit: undefined } : options, (paging) =>
      client.listResults({
        query: {
          workflow_id: id,
          job_id: jobId,
          run_id: options.runId,
          return_code: options.returnCode,
          status: options.status,
          compute_node_id: options.computeNode,
          all_runs: allRuns || undefined,
          ...paging,
        },
      }),
    );
    const items = onlyFailed
      ? found
          .filter(({ return_code: code }) => code !== 0)
          .slice(offset, limit === undefined ? undefined : offset + limit)
      : found;
    const codes = exitCodesOf((await client.getWorkflow({ params: { id } })).execution_config);
    const causeOf = (result: Result) => sentenceOf(storedEndOf(result, codes));
    const hasCauses = items.some((each) => causeOf(each) !== undefined);
    if (options.includeLogs === true) {
      const { withFiles } = await import('../../operations/output/result-files.ts');
      const withLogs = await withFiles(client, id, items, options.outputDir);
      const { workflow, missing } = withLogs;
      if (missing.length > 0)
        context.output.warn(`${counted(missing.length, 'log file')} not found: ${someOf(missing)}`);
      context.output.json({
        workflow_id: id,
        workflow_name: workflow.name,
        workflow_user: workflow.user,
        total_results: withLogs.items.length,
        items: withLogs.items.map((each) => withCauses(each, codes)),
        all_runs: allRuns,
      });
      return;
    }
    const csv = context.output.format === 'csv';
    const cause: Column<Result> = {
      title: 'Cause',
      value: (result) => causeOf(result),
      cut: 'end',
      importance: 7,
    };
    context.output.list({
      items,
      // CSV has the columns of Torc.
      columns: [
        ...columns.filter(({ title }) => isShown(title, { allRuns, csv })),
        ...(csv || !items.some(({ peak_gpu_memory_bytes: bytes }) => bytes) ? [] : [gpuMemory]),
        ...(csv || !hasCauses ? [] : [cause]),
      ],
      json: { items: items.map((each) => withCauses(each, codes)) },
      things: 'results',
      title: `Results for workflow ${id}:`,
      empty: `No results found for workflow ID: ${id}`,
    });
  },
});

const resultsGet = command('results get <id>', {
  says: 'Show one result.',
  async run({ service, output }, [given]) {
    const { client } = await service();
    const result = await client.getResult({ params: { id: idOf('result', given) } });
    const { execution_config: execution } = await client.getWorkflow({ params: { id: result.workflow_id } });
    const codes = exitCodesOf(execution);
    const cause = sentenceOf(storedEndOf(result, codes));
    const lines = [
      ...[...columns, ...(result.peak_gpu_memory_bytes ? [gpuMemory] : [])].map(
        (column) => `  ${column.title}: ${shownText(column, result)}`,
      ),
      ...(cause === undefined ? [] : [`  Cause: ${cause}`]),
    ];
    output.record('result', withCauses(result, codes), [`Result ${result.id}:`, ...lines].join('\n'));
  },
});

const resultsDelete = deleteCommand('results delete', {
  thing: 'result',
  remove: (client, id) => client.deleteResult({ params: { id } }),
});

export const resultCommands: readonly Command[] = [resultsList, resultsGet, resultsDelete];
