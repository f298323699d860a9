import { command } from '../command/command.ts';
import { Failure, UsageError } from '../command/failure.ts';
import { option } from '../command/option.ts';

export const plotResources = command('plot-resources <database...>', {
  says: 'Draw the CPU and memory use of jobs and nodes, from the files of time-series monitoring.',
  example: 'torc_output/resource_utilization/*.db -o plots',
  more: 'The files are in <output-dir>/resource_utilization. Pages need nothing but a browser, also without a network.\n\n  torc plot-resources torc_output/resource_utilization/*.db -o plots',
  offline: true,
  options: [
    option('-o, --output-dir <folder>', 'where the pages are written', { default: '.' }),
    option('-j, --job-ids <ids>', 'only these jobs, separated by commas'),
    option('-p, --prefix <text>', 'prefix of each file name', { default: '' }),
    option('-f, --format <format>', 'pages, or their figures', { default: 'html', choices: ['html', 'json'] }),
  ],
  async run({ output }, [databases], options) {
    const jobIds = idsOf(options.jobIds);
    const { drawPlots } = await import('../../runner/plots/draw.ts');
    const { NoMetrics } = await import('../../runner/plots/read.ts');
    try {
      const { paths, missing } = drawPlots(databases, {
        folder: options.outputDir,
        prefix: options.prefix,
        format: options.format,
        jobIds,
      });
      if (missing.length > 0)
        output.warn(`no samples of ${missing.length === 1 ? 'job' : 'jobs'} ${missing.join(', ')}`);
      if (paths.length === 0)
        throw new Failure(
          'there are no samples to draw; they are kept when resource_monitor asks for the granularity time_series',
        );
      for (const path of paths) output.text(path);
    } catch (error) {
      if (error instanceof NoMetrics) throw new Failure(error.message, { cause: error });
      throw error;
    }
  },
});

function idsOf(text: string | undefined): ReadonlySet<number> | undefined {
  if (text === undefined) return undefined;
  return new Set(
    text.split(',').map((part) => {
      if (!/^\s*\d+\s*$/.test(part))
        throw new UsageError(`--job-ids: expected ids separated by commas, found "${part}" in "${text}"`);
      return Number(part);
    }),
  );
}
