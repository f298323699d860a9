import { existsSync } from 'node:fs';
import type { JobFacts } from '../../../core/lifecycle/job-facts.ts';
import { chooseJob, workflowOption } from '../../choose-record.ts';
import type { Command } from '../../command.ts';
import { lastLines } from '../../last-lines.ts';

export const jobsExplain: Command = {
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
    const id = await chooseJob(context, given, options['workflowId']);
    const { client } = await context.service();
    const { gatherFacts } = await import('../../explain-facts.ts');
    const { explain } = await import('../../../core/lifecycle/explain.ts');
    const { pathsOf } = await import('../../result-logs.ts');
    const { facts, workflow, result, node } = await gatherFacts(client, id, Date.now());
    const { kind, headline, reasons, next: commands } = explain(facts);
    const next = commands.map((each) => context.hint(each));
    const begun = result ?? (facts.status === 'running' ? runningAttempt(facts, workflow.run_id ?? 0) : undefined);
    const paths: Readonly<Record<string, string | undefined>> =
      begun === undefined ? {} : pathsOf(workflow, begun, node, options['outputDir'] as string);
    const tail = facts.end === undefined || facts.end.status === 'completed' ? [] : tailOf(paths);
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
        ...(tail.length === 0 ? {} : { stderr_tail: tail }),
      },
      [
        `Job ${facts.id} (${facts.name}) ${headline}`,
        ...reasons.map(({ message }) => `  ${message}`),
        ...linesOf('Files:', pathLines(paths)),
        ...linesOf('Last lines of its standard error:', tail),
        ...linesOf('Next:', next),
      ].join('\n'),
    );
  },
};

/** The running attempt with the fields of a result, which determine the names of its files. */
const runningAttempt = ({ id, name, attempt, workflow }: JobFacts, runId: number) => ({
  job_id: id,
  job_name: name,
  attempt_id: attempt,
  run_id: runId,
  workflow_id: workflow.id,
});

/** The existing files; if there is none, the folder may be on another machine, and only the names are shown. */
function pathLines(paths: Readonly<Record<string, string | undefined>>): string[] {
  const all = [...new Set(Object.values(paths).filter((path) => path !== undefined))];
  const there = all.filter((path) => existsSync(path));
  return there.length === 0 ? all : there;
}

/** The last lines of standard error; empty if the file is not readable here. */
function tailOf(paths: Readonly<Record<string, string | undefined>>): readonly string[] {
  const path = paths['job_stderr'];
  return path === undefined ? [] : lastLines(path);
}

const linesOf = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
