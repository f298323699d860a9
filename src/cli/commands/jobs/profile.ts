import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chooseJob, workflowOption } from '../../choose/choose-record.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { option } from '../../command/option.ts';
import { attemptOptions, outputOfRun } from './attempt-options.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import { secondsText } from '../../output/words.ts';
import { buckets } from '../../samples/intervals.ts';
import { processColumns, stepColumns } from '../../samples/profile-columns.ts';

/** The folder of Sonar records in the output folder of a runner (ADR 46). */
const SONAR_FOLDER = 'sonar';

export const jobsProfile = command('jobs profile <job>', {
  says: 'Show what the processes of a job used over time, in its newest attempt.',
  example: 'train_3 -w 1 --processes',
  more: 'Its runner took the samples: the workflow needs `resource_monitor: {sonar: true}`. They are in its output folder, so this works where that is.\n\n  torc jobs profile train_3\n  torc jobs profile train_3 -w 1 --processes',
  options: [
    workflowOption,
    ...attemptOptions,
    option('--every <interval>', 'average over intervals of this length', { choices: Object.keys(buckets) }),
    option('--processes', 'its processes as a tree instead, with the CPU time of each'),
    outputOfRun,
  ],
  async run(context, [given], options) {
    const { output, service } = context;
    const id = await chooseJob(context, given, options.workflowId);
    const { client } = await service();
    const { findAttempt, outputFolders } = await import('../../../operations/output/job-output.ts');
    const { samplesOfAttempt } = await import('../../../telemetry/questions/samples-of-attempt.ts');
    const { asPlainData } = await import('../../../telemetry/answers.ts');
    const { profileOfRows } = await import('../../../telemetry/questions/profile.ts');
    const { job, attempt, node } = await findAttempt(client, id, { run: options.run, attempt: options.attempt });
    const which = `attempt ${attempt.attempt} of job ${id} (${job.name}) in run ${attempt.run}`;
    const folders = outputFolders(node, options.outputDir).map((folder) => join(folder, SONAR_FOLDER));
    const folder = folders.find((each) => existsSync(each));
    if (folder === undefined)
      throw new Failure(
        `no samples of ${which}: there is no ${folders.join(' and no ')}; the workflow needs resource_monitor: {sonar: true}`,
      );
    const key = { workflow: job.workflow_id, workflowJob: id, run: attempt.run, attempt: attempt.attempt };
    const { rows, total } = await samplesOfAttempt(folder, key);
    if (rows.length === 0 && total === undefined) throw new Failure(`no samples of ${which} in ${folder}`);
    const { steps, processes } = await profileOfRows(
      [rows],
      options.every === undefined ? 0 : (buckets[options.every] ?? 0),
    );
    const title = `Job ${id} (${job.name}), run ${attempt.run}, attempt ${attempt.attempt}${totalText(total)}:`;
    const about = {
      title,
      empty: `${title}\nNo samples: it ended before the first one`,
    };
    const json = (items: readonly object[]) => ({
      workflow_id: job.workflow_id,
      job_id: id,
      job_name: job.name,
      run_id: attempt.run,
      attempt_id: attempt.attempt,
      cpu_seconds: total?.cpuSeconds,
      peak_bytes: total?.peakBytes,
      items: items.map(asPlainData),
    });
    if (options.processes === true)
      output.list({ ...about, items: processes, columns: processColumns, things: 'processes', json: json(processes) });
    else output.list({ ...about, items: steps, columns: stepColumns, things: 'samples', json: json(steps) });
  },
});

function totalText(
  total: { readonly cpuSeconds: number | undefined; readonly peakBytes: number | undefined } | undefined,
): string {
  if (total === undefined) return ', not ended';
  const { cpuSeconds, peakBytes } = total;
  const parts = [
    ...(cpuSeconds === undefined ? [] : [`${secondsText(cpuSeconds)} of CPU time`]),
    ...(peakBytes === undefined ? [] : [`a peak of ${sizeText(peakBytes)}`]),
  ];
  return parts.length === 0 ? '' : `, in all ${parts.join(' and ')}`;
}
