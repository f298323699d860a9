import { command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';
import { originOptions } from './produce-options.ts';

export const jobs = command('sonar jobs', {
  says: 'Print the Slurm jobs of the cluster and their steps, as Sonar records.',
  example: '--cluster hpc.example.org --state reported-jobs.json',
  more: 'Each line is one record of JSON. The jobs of the window come from sacct. From scontrol come what waiting and running jobs requested, and jobs that sacct does not list, such as held ones (priority 0); without accounting all jobs come from scontrol. With --state the jobs that did not change since the previous run with this file are left out.',
  offline: true,
  options: [
    ...originOptions,
    option('--window <minutes>', 'jobs of this many minutes before now', {
      read: integerOption(1),
      default: 90,
    }),
    option('--span <from,to>', 'jobs of these days instead, as 2026-03-01,2026-03-02', { read: span }),
    option('--batch-size <n>', 'maximum number of jobs and steps in one record', {
      read: integerOption(1),
    }),
    option('--state <file>', 'remember in this file what was printed, and print only what changed'),
    option('--stateless', 'print what Sonar prints: all jobs of the window that have ended, and no others'),
    option('--deluge', 'with --stateless: also print jobs that wait or run'),
  ],
  async run({ output, environment }, _args, options) {
    if (options.state !== undefined && options.stateless === true)
      throw new UsageError('--state and --stateless: expected one of the two');
    const { encodeEnvelope } = await import('../../../core/contract/sonar/encode.ts');
    const { messageOriginOf } = await import('../../../telemetry/produce/origin.ts');
    const { readJobs } = await import('../../../telemetry/produce/slurm/jobs.ts');
    const { keepReported, reportedIn } = await import('../../../telemetry/produce/slurm/reported-file.ts');
    const { messages, reported } = await readJobs({
      origin: messageOriginOf({ ...options, environment }),
      environment,
      span: options.span ?? [`now-${options.window}minutes`, 'now'],
      uncompleted: options.stateless !== true || options.deluge === true,
      batchSize: options.batchSize,
      reported: options.state === undefined ? undefined : reportedIn(options.state),
      onProblem: (problem) => output.warn(problem),
    });
    for (const { envelope } of messages) output.text(encodeEnvelope(envelope, options.compat));
    // Behind the output: jobs that could not be printed are printed by the next run.
    if (options.state !== undefined) keepReported(options.state, reported);
  },
});

function span(text: string): readonly [string, string] {
  const [from = '', to = '', ...more] = text.split(',');
  const isDay = (day: string) => /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/.test(day);
  if (!isDay(from) || !isDay(to) || more.length > 0)
    throw new UsageError(`--span: expected two days such as 2026-03-01,2026-03-02, found "${text}"`);
  // sacct is run with the zone UTC; the days are those of this machine.
  const utc = (day: string) => {
    const date = new Date(day.includes('T') ? day : `${day}T00:00:00`);
    if (Number.isNaN(date.getTime())) throw new UsageError(`--span: ${day} is no day`);
    return date.toISOString().slice(0, 19);
  };
  return [utc(from), utc(to)];
}
