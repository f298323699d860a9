import { displayed } from '../../../core/remote/worker-line.ts';
import {
  recoverWorkers,
  stopWorkers,
  type WorkerReport,
  workerStates,
} from '../../../operations/remote/worker-states.ts';
import { withSsh } from '../../../operations/remote/with-ssh.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { command } from '../../command/command.ts';
import { numberOption, option } from '../../command/option.ts';
import { dateText } from '../../output/local-time.ts';
import type { Column } from '../../output/table.ts';
import { atOnceOption, faultText, hostsDone, outputDirOption, hostsOf, listHosts } from './hosts.ts';
import { remoteService } from '../../remote-hosts.ts';

/** The words of Torc for the three states that it knows, and ours after a stop. */
const stateWords = ({ is, pid, killed }: WorkerReport): string =>
  ({
    running: `Running (PID ${pid})`,
    ended: 'Not Running',
    gone: 'Not Running',
    none: 'Not Running',
    stopped: killed === true ? 'Killed' : 'Stopped',
    ending: `Ending (PID ${pid})`,
    unknown: 'Unknown',
    silent: 'Unknown',
  })[is];

const columns: readonly Column<WorkerReport>[] = [
  { title: 'Host', value: ({ worker }) => displayed(worker), cut: 'middle', importance: 9 },
  { title: 'Status', value: stateWords, importance: 8 },
  { title: 'Detail', value: detailOf, importance: 7 },
];

function detailOf(report: WorkerReport): string {
  const { is, startedAt, log, ended, rebooted, pid } = report;
  const details: Readonly<Record<WorkerReport['is'], () => string>> = {
    running: () => `since ${dateText(startedAt)}; log ${log ?? ''}`,
    ended: () => (ended ? endText(ended) : ''),
    gone: () =>
      rebooted === true
        ? `the machine was booted since; the runner (PID ${pid}) did not end by itself`
        : `the runner (PID ${pid}) was killed`,
    none: () => 'No worker found (no state file)',
    stopped: () => '',
    ending: () => 'it still ends its jobs; ask again with status, or stop --force',
    unknown: () => 'nothing proves whether the runner lives: another machine or container has its files',
    silent: () => faultText(report),
  };
  return details[is]();
}

function endText({
  at,
  completed,
  failed,
  terminated,
  exit_code: code,
  ending,
  reason,
}: NonNullable<WorkerReport['ended']>) {
  const parts = [
    `${counted(completed, 'job')} completed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(terminated > 0 ? [`${terminated} terminated`] : []),
  ];
  const why = reason === undefined || reason === null ? '' : `: ${reason}`;
  return `ended ${dateText(at)} (${ending}${why}): ${parts.join(', ')}${code === 0 ? '' : `; exit code ${code}`}`;
}

const jsonOf = ({ is, startedAt, ...rest }: Omit<WorkerReport, 'worker'>) => ({
  state: is,
  ...rest,
  started_at: startedAt,
});

export const remoteStatus = command('remote status [workflow]', {
  says: 'Show the runners of a workflow on its hosts: running, ended and how, killed, or unknown and why.',
  options: [outputDirOption, atOnceOption],
  async run(context, [workflow], options) {
    const { output, hint } = context;
    const { id, workers } = await hostsOf(context, workflow);
    const items = await withSsh(
      { workflowId: id, outputDir: options.outputDir, atOnce: options.maxParallelSsh },
      (common) => workerStates(workers, common),
    );
    listHosts(context, items, { title: `Remote workers of workflow ${id}:`, columns, jsonOf });
    if (items.some(({ is }) => is === 'gone'))
      output.notice(`To give the jobs of killed runners back: ${hint(`torc remote recover ${id}`)}`);
  },
});

export const remoteStop = command('remote stop [workflow]', {
  says: 'End the runners of a workflow on its hosts with their jobs, and wait until they are gone.',
  more: 'Running jobs are asked to end and become terminated. With --force runners and jobs are killed, and the jobs become ready again.',
  options: [
    outputDirOption,
    atOnceOption,
    option('--force', 'kill the runners and their jobs'),
    option('--wait-seconds <s>', 'how long to wait for the jobs of a host to end', {
      default: 120,
      read: numberOption(0),
    }),
  ],
  async run(context, [workflow], options) {
    const { output } = context;
    const { id, workers } = await hostsOf(context, workflow);
    const service = await remoteService(context);
    const items = await withSsh(
      { workflowId: id, outputDir: options.outputDir, atOnce: options.maxParallelSsh },
      (common) =>
        stopWorkers(workers, {
          ...common,
          service,
          force: options.force === true,
          waitSeconds: options.waitSeconds,
          onDone: hostsDone(context.output, workers.length),
        }),
    );
    listHosts(context, items, { title: `Stopped workers of workflow ${id}:`, columns, jsonOf });
    if (items.some(({ is }) => is === 'silent' || is === 'unknown'))
      output.warn('on hosts that are unknown a runner may still run');
  },
});

export const remoteRecover = command('remote recover [workflow]', {
  says: 'Make the jobs of killed runners ready again, once the process tables of their hosts prove that the runners are gone.',
  more: 'Other runners take the jobs, as a new attempt. A host that does not answer proves nothing: its jobs stay as they are.',
  options: [outputDirOption, atOnceOption],
  async run(context, [workflow], options) {
    const { output } = context;
    const { id, workers } = await hostsOf(context, workflow);
    const service = await remoteService(context);
    const found = await withSsh(
      { workflowId: id, outputDir: options.outputDir, atOnce: options.maxParallelSsh },
      (common) => recoverWorkers(workers, { ...common, service }),
    );
    const items = workers.map((worker, index) => {
      const { runners, notes = [], code, message } = found[index] ?? {};
      return { worker: worker.text, host: worker.host, recovered: runners, notes, code, message };
    });
    for (const { host, recovered, notes, message } of items) {
      for (const note of notes) output.detail(`${host}: ${note}`);
      if (recovered === undefined) output.warn(`${host}: its jobs stay as they are: ${message ?? 'no answer'}`);
    }
    const total = items.reduce((sum, { recovered = 0 }) => sum + recovered, 0);
    output.record('remote recover', { items, recovered: total }, `Recovered ${counted(total, 'runner')}`);
    if (items.some(({ recovered }) => recovered === undefined)) context.exitWith(1);
  },
});
