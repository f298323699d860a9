import { chooseJob, workflowOption } from '../../choose-record.ts';
import { command } from '../../command.ts';

export const jobsExplain = command({
  words: 'jobs explain <job>',
  says: 'Explain why a job waits or why it ended with its status, and what to do.',
  options: [
    workflowOption,
    {
      flags: '-o, --output-dir <folder>',
      says: "output folder of the run, for the paths of the job's output",
      setting: 'client.run.output_dir',
    },
  ],
  async run(context, [given], options) {
    const { output } = context;
    const id = await chooseJob(context, given, options.workflowId);
    const { client } = await context.service();
    const { explainJob } = await import('../../../operations/explain/explain.ts');
    const { explainedLines } = await import('../../../operations/views/explained.ts');
    const { shownFiles } = await import('../../../operations/explain/shown-files.ts');
    const found = await explainJob(client, id, {
      nowMs: Date.now(),
      environment: context.environment,
      outputDir: options.outputDir,
    });
    const { facts, explanation, paths, stderrTail } = found;
    const { kind, headline, reasons, next: commands } = explanation;
    const next = commands.map((each) => context.hint(each));
    output.record(
      'job',
      {
        job_id: facts.id,
        job_name: facts.name,
        workflow_id: facts.workflow.id,
        status: facts.status,
        kind,
        headline,
        reasons,
        next,
        paths,
        ...(stderrTail.length === 0 ? {} : { stderr_tail: stderrTail }),
      },
      explainedLines(found, shownFiles(paths), context.hint).join('\n'),
    );
  },
});
