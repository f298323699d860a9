import { statSync } from 'node:fs';
import { chooseJob, workflowOption } from '../../choose/choose-record.ts';
import { command } from '../../command/command.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { option } from '../../command/option.ts';
import { attemptOptions, outputOfRun } from './attempt-options.ts';
import { isReaderGone } from '../../terminal/write-out.ts';
import { notRegular } from '../../../cluster/open-regular.ts';

/** Most bytes that are put into JSON: the text is held several times meanwhile. */
const LARGEST_JSON_BYTES = 64 * 2 ** 20;

export const jobsOutput = command('jobs output <job>', {
  says: 'Print what a job wrote to its standard output, in its newest attempt.',
  example: 'train_3 -w 1 --stderr',
  more: 'The output is printed as it is. It is in a file on the host where the job ran, so this works there and where the file system is shared.\n\n  torc jobs output 3\n  torc jobs output train_3 -w 1 --stderr\n  torc jobs output train_3 --follow',
  options: [
    workflowOption,
    option('--stderr', 'what it wrote to its standard error'),
    ...attemptOptions,
    option('-F, --follow', 'wait until the job starts, print what it writes, and end with it'),
    outputOfRun,
  ],
  async run(context, [given], options) {
    const { output, service } = context;
    const follows = options.follow === true;
    if (output.format !== 'table' && follows)
      throw new UsageError(`--follow prints the output as it is; it cannot be had as ${output.format}`);
    output.recordOnly('jobs output');
    const id = await chooseJob(context, given, options.workflowId);
    const { client } = await service();
    const { findOutput, hasEnded, untilStarted } = await import('../../../operations/output/job-output.ts');
    const { copyFile, followFile } = await import('../../terminal/follow-file.ts');

    const wanted = {
      run: options.run,
      attempt: options.attempt,
    };
    if (follows)
      await untilStarted(client, id, wanted, ({ name, status }) =>
        output.notice(`Job ${id} (${name}) is ${status}; waiting for it to start`),
      );
    const stream = options.stderr === true ? 'stderr' : 'stdout';
    const outputDir = options.outputDir;
    const { job, attempt, path } = await findOutput(client, id, { wanted, stream, outputDir });
    if (output.format === 'json') {
      const stats = statSync(path);
      if (!stats.isFile()) throw notRegular(path);
      const { size } = stats;
      if (size > LARGEST_JSON_BYTES)
        throw new Failure(`${path} has ${size} bytes, more than the ${LARGEST_JSON_BYTES} that are printed as JSON`);
      const { readFile } = await import('node:fs/promises');
      output.json({
        workflow_id: job.workflow_id,
        job_id: id,
        job_name: job.name,
        run_id: attempt.run,
        attempt_id: attempt.attempt,
        status: attempt.status,
        stream,
        path,
        text: await readFile(path, 'utf8'),
      });
      return;
    }
    try {
      if (follows && attempt.status === 'running') await followFile(path, () => hasEnded(client, job));
      else await copyFile(path);
    } catch (error) {
      if (!isReaderGone(error)) throw error;
    }
  },
});
