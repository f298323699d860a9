import { existsSync } from 'node:fs';
import type { JobFacts } from '../../../core/lifecycle/job-facts.ts';
import { chooseJob, workflowOption } from '../../choose-record.ts';
import type { Command } from '../../command.ts';

export const jobsExplain: Command = {
  words: 'jobs explain <job>',
  says: 'Say why a job waits, or why it ended as it did, and what to do.',
  options: [
    workflowOption,
    {
      flags: '-o, --output-dir <folder>',
      says: 'the output folder of the run, for the paths of what the job printed',
      setting: 'client.run.output_dir',
    },
  ],
  async run(context, [given], options) {
    const { output } = context;
    const id = await chooseJob(context, given, options['workflowId']);
    const { client } = await context.service();
    const { gatherFacts } = await import('../../explain-facts.ts');
    const { explain } = await import('../../../core/lifecycle/explain.ts');
    const { pathsOf } = await import('../../result-logs.ts');
    const { facts, workflow, result, node } = await gatherFacts(client, id, Date.now());
    const { kind, headline, reasons, next: commands } = explain(facts);
    const next = commands.map((each) => context.hint(each));
    const begun = result ?? (facts.status === 'running' ? runningAttempt(facts, workflow.run_id ?? 0) : undefined);
    const paths = begun === undefined ? {} : pathsOf(workflow, begun, node, options['outputDir'] as string);
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
      },
      [
        `Job ${facts.id} (${facts.name}) ${headline}`,
        ...reasons.map(({ message }) => `  ${message}`),
        ...linesOf('Files:', pathLines(paths)),
        ...linesOf('Next:', next),
      ].join('\n'),
    );
  },
};

/** The attempt that runs, in the words of a result: the names of its files are made of these. */
const runningAttempt = ({ id, name, attempt, workflow }: JobFacts, runId: number) => ({
  job_id: id,
  job_name: name,
  attempt_id: attempt,
  run_id: runId,
  workflow_id: workflow.id,
});

/** Those that are there; where none is, the folder may be on another machine, and their names are all that helps. */
function pathLines(paths: Readonly<Record<string, string | undefined>>): string[] {
  const all = [...new Set(Object.values(paths).filter((path) => path !== undefined))];
  const there = all.filter((path) => existsSync(path));
  return there.length === 0 ? all : there;
}

const linesOf = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
