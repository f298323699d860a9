import { existsSync, statSync } from 'node:fs';
import { displayed } from '../../../core/remote/worker-line.ts';
import { type Started, startWorkers } from '../../../operations/remote/start-workers.ts';
import { withSsh } from '../../../operations/remote/with-ssh.ts';
import { isLoopback } from '../../../operations/remote/service.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { integerOption, numberOption, option } from '../../command/option.ts';
import { amount } from '../../output/columns.ts';
import { dateText } from '../../output/local-time.ts';
import type { Column } from '../../output/table.ts';
import { memoryText } from '../../output/words.ts';
import { atOnceOption, faultText, hostsDone, listHosts, outputDirOption, someWorkers, workersIn } from './hosts.ts';
import { remoteService } from '../../remote-hosts.ts';
import { addStored } from './workers.ts';

const GIBIBYTE = 2 ** 30;

const columns: readonly Column<Started>[] = [
  { title: 'Host', value: ({ worker }) => displayed(worker), cut: 'middle', importance: 9 },
  { title: 'Result', value: ({ is }) => resultWords[is], importance: 8 },
  { title: 'PID', value: ({ pid }) => pid, align: 'right', importance: 4 },
  { title: 'CPUs', value: ({ cpus }) => cpus, align: 'right', importance: 3 },
  amount(
    'Memory',
    ({ memoryGb }) => memoryGb,
    (gb) => memoryText(gb && gb * GIBIBYTE),
    { importance: 3 },
  ),
  { title: 'GPUs', value: ({ gpus }) => gpus, align: 'right', importance: 2 },
  { title: 'Detail', value: detailOf, importance: 7 },
];

const resultWords = { started: 'started', running: 'already running', failed: 'not started' } as const;

function detailOf(started: Started): string {
  const { is, startedAt, log, clockAheadSeconds: ahead } = started;
  const clock =
    ahead === undefined ? '' : `its clock is ${Math.abs(ahead).toFixed(0)} s ${ahead > 0 ? 'ahead' : 'behind'}`;
  const words = {
    started: `log ${log ?? ''}`,
    running: `since ${dateText(startedAt)}; log ${log ?? ''}`,
    failed: faultText(started),
  }[is];
  return clock === '' ? words : `${words}; ${clock}`;
}

export const remoteRun = command('remote run [file-or-workflow] [workflow]', {
  says: 'Start a runner of a workflow on each of its hosts, over ssh; they go on without this command.',
  makesDatabase: true,
  more: [
    'The hosts are those of the file, which are then stored with the workflow, or else the stored ones. A host on which',
    'a runner of the workflow runs already is left as it is. Exits with 1 unless a runner runs on every host.',
  ].join(' '),
  options: [
    option('-w, --workers <file>', 'file with hosts, one a line'),
    outputDirOption,
    atOnceOption,
    option('-p, --poll-interval <s>', 'polling interval of the runners in seconds when no event arrives', {
      default: 5,
      read: numberOption(0.001),
    }),
    option('--max-parallel-jobs <n>', 'run this many jobs at once on each host and ignore their requirements', {
      read: integerOption(1),
    }),
    option('--num-cpus <n>', 'CPUs to offer on each host', { read: integerOption(1) }),
    option('--memory-gb <gb>', 'memory to offer on each host', { read: numberOption(0) }),
    option('--num-gpus <n>', 'GPUs to offer on each host', { read: integerOption(0) }),
  ],
  async run(context, [first, second], options) {
    const { output, settings, configuration, hint } = context;
    if (settings.standalone) {
      throw new Failure(
        'remote run needs a server that the hosts reach, and that of -s serves this machine only; start one: torc-server run --host 0.0.0.0',
      );
    }
    const { file, workflow } = given(first as string | undefined, second as string | undefined, options.workers);
    const inFile = file === undefined ? undefined : workersIn(file);
    const { id, client } = await openWorkflow(context, workflow);
    if (inFile !== undefined) await addStored(client, id, inFile);
    const workers = inFile ?? (await someWorkers(context, client, id));
    const service = await remoteService(context);
    if (isLoopback(service.url))
      output.warn(
        `${service.url} names each host itself; hosts other than this machine will not reach the server there`,
      );

    const started = await withSsh(
      { workflowId: id, outputDir: options.outputDir, atOnce: options.maxParallelSsh },
      (common) =>
        startWorkers(workers, {
          ...common,
          client,
          service,
          runner: {
            num_cpus: options.numCpus,
            memory_gb: options.memoryGb,
            num_gpus: options.numGpus,
            max_parallel_jobs: options.maxParallelJobs,
            poll_interval: options.pollInterval,
            log_level: settings.logLevel,
          },
          umask: configuration['client.run.umask'],
          skipVersionCheck: settings.skipVersionCheck,
          onDone: hostsDone(context.output, workers.length),
        }),
    );
    listHosts(context, started, { columns, jsonOf });
    const count = (is: Started['is']) => started.filter((each) => each.is === is).length;
    const already = count('running') === 0 ? '' : `, ${count('running')} already running`;
    output.notice(`Started ${count('started')}/${started.length} workers${already}`);
    if (count('failed') < started.length) output.notice(`How they are: ${hint(`torc remote status ${id}`)}`);
    if (count('failed') > 0) context.exitWith(1);
  },
});

/** `workers.txt 7`, `7 -w workers.txt`, `7`: a first word that is a file is the file. */
function given(first: string | undefined, second: string | undefined, option: string | undefined) {
  const isFile = first !== undefined && (second !== undefined || (existsSync(first) && statSync(first).isFile()));
  const file = isFile ? first : option;
  if (isFile && option !== undefined) throw new Failure(`two worker files are named: ${first} and ${option}`);
  return { file, workflow: isFile ? second : first };
}

const jsonOf = ({ is, startedAt, nodeId, memoryGb, clockAheadSeconds, ...rest }: Omit<Started, 'worker'>) => ({
  result: is,
  ...rest,
  started_at: startedAt,
  compute_node_id: nodeId,
  memory_gb: memoryGb,
  clock_ahead_seconds: clockAheadSeconds,
});
