import { existsSync } from 'node:fs';
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
    const { facts, explanation, paths, stderrTail } = await explainJob(client, id, {
      nowMs: Date.now(),
      environment: context.environment,
      outputDir: options.outputDir,
    });
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
      [
        `Job ${facts.id} (${facts.name}) ${headline}`,
        ...reasons.map(({ message }) => `  ${message}`),
        ...linesOf('Files:', pathLines(paths)),
        ...linesOf('Last lines of its standard error:', stderrTail),
        ...linesOf('Next:', next),
      ].join('\n'),
    );
  },
});

/** The existing files; if there is none, the folder may be on another machine, and only the names are shown. */
function pathLines(paths: Readonly<Record<string, string | undefined>>): string[] {
  const all = [...new Set(Object.values(paths).filter((path) => path !== undefined))];
  const there = all.filter((path) => existsSync(path));
  return there.length === 0 ? all : there;
}

const linesOf = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
