import { chooseJob, workflowOption } from '../../choose/choose-record.ts';
import { command } from '../../command/command.ts';
import { option } from '../../command/option.ts';

export const jobsExplain = command('jobs explain <job>', {
  says: 'Explain why a job waits or why it ended with its status, and what to do.',
  example: 'train_3 -w 1',
  options: [
    workflowOption,
    option('-o, --output-dir <folder>', "output folder of the run, for the paths of the job's output", {
      setting: 'client.run.output_dir',
    }),
  ],
  async run(context, [given], options) {
    const { output } = context;
    const id = await chooseJob(context, given, options.workflowId);
    const { client } = await context.service();
    const { explainJob } = await import('../../../operations/explain/explain.ts');
    const { explainedJson, explainedLines } = await import('../../../operations/report/views/explained.ts');
    const { shownFiles } = await import('../../../operations/explain/shown-files.ts');
    const { partitionsHere } = await import('../../slurm/hpc-profile.ts');
    const found = await explainJob(client, id, {
      partitions: () => partitionsHere(context),
      nowMs: Date.now(),
      environment: context.environment,
      outputDir: options.outputDir,
    });
    const lines = explainedLines(found, shownFiles(found.paths), context.hint);
    output.record('job', explainedJson(found, context.hint), lines.join('\n'));
  },
});
