import { readdirSync } from 'node:fs';
import * as z from 'zod';
import type { Client } from '../../client/client.ts';
import { findOutput } from '../../operations/output/job-output.ts';
import { analyzeLogs } from '../../operations/logs/analyze.ts';
import { findJournals } from '../../operations/reconcile/find.ts';
import { readJournal } from '../../runner/outage/journal/file.ts';
import { asData, tailOf } from '../data.ts';
import { type Backend, folderOf, tool } from '../tool.ts';
import { idParameter, jobId, parameters, workflowIdParameter } from './parameters.ts';

const MOST_LINES = 2000;
const lineCount = z.int().positive().max(MOST_LINES);

interface Wanted {
  readonly job: number;
  readonly run?: number;
  readonly attempt?: number;
  readonly stream: 'stdout' | 'stderr';
  readonly lines: number;
}

async function outputOf({ client, outputDir }: Backend, wanted: Wanted) {
  if (outputDir === undefined) return outputAtServer(await client(), wanted);
  const { job, run, attempt, stream, lines } = wanted;
  const found = await findOutput(await client(), job, { wanted: { run, attempt }, stream, outputDir });
  const { lines: shown, ...rest } = tailOf(found.path, lines);
  return {
    job_id: job,
    job_name: found.job.name,
    run_id: found.attempt.run,
    attempt_id: found.attempt.attempt,
    status: found.attempt.status,
    stream,
    path: found.path,
    ...rest,
    output: asData(shown),
  };
}

/** The most that the server reads of a file at once. */
const MOST_LINES_AT_SERVER = 500;

async function outputAtServer(client: Client, { job, run, attempt, stream, lines }: Wanted) {
  const query = { stream, run_id: run, attempt_id: attempt, lines: Math.min(lines, MOST_LINES_AT_SERVER) };
  const { lines: shown, ...found } = await client.getOutputTail({ params: { id: job }, query });
  return { ...found, stream, ...(shown === undefined || shown === null ? {} : { output: asData(shown) }) };
}

const MORE = 'ask for fewer lines, or read the file at path';

export const getJobLogs = tool('get_job_logs', {
  says: 'What an attempt of a job wrote to its standard output or standard error.',
  effect: 'reads',
  input: parameters({
    workflow_id: workflowIdParameter,
    job_id: jobId,
    run_id: z.int().nonnegative(),
    attempt_id: idParameter.default(1),
    log_type: z.enum(['stdout', 'stderr']),
    tail_lines: lineCount.default(MOST_LINES).describe(`the last lines only; at most ${MOST_LINES}`),
  }),
  more: MORE,
  run: ({ job_id: job, run_id: run, attempt_id: attempt, log_type: stream, tail_lines: lines }, backend) =>
    outputOf(backend, { job, run, attempt, stream, lines }),
});

export const tailOutput = tool('tail_output', {
  says: 'The last lines that the newest attempt of a job wrote, also while it runs.',
  effect: 'reads',
  input: parameters({
    job_id: jobId,
    stream: z.enum(['stdout', 'stderr']).default('stderr'),
    lines: lineCount.default(50),
  }),
  more: MORE,
  run: ({ job_id: job, stream, lines }, backend) => outputOf(backend, { job, stream, lines }),
});

export const analyzeWorkflowLogs = tool('analyze_workflow_logs', {
  says: 'Known patterns of failures in all logs of a workflow: jobs, runners, Slurm; each with its remedy.',
  effect: 'reads',
  needsMachine: true,
  input: parameters({ workflow_id: workflowIdParameter, output_dir: z.string().optional() }),
  more: 'torc logs analyze prints all findings',
  async run({ workflow_id: workflow, output_dir: folder }, backend) {
    const { findings, files, errors, warnings } = await analyzeLogs(folder ?? folderOf(backend), workflow);
    const lines = findings.map(({ text, ...each }) => ({ ...each, text: asData(text) }));
    return { workflow_id: workflow, files, errors, warnings, findings: lines };
  },
});

export const checkOfflineJournals = tool('check_offline_journals', {
  says: 'Results that runners could not report to the server and wrote to journals; torc workflows reconcile sends them.',
  effect: 'reads',
  needsMachine: true,
  input: parameters({
    workflow_id: workflowIdParameter,
    run_id: z.int().nonnegative().optional(),
    base_dir: z.string().optional().describe('the output folder of the runners, or one above'),
  }),
  more: 'torc workflows reconcile lists the journals',
  async run({ workflow_id: workflow, run_id: given, base_dir: folder }, backend) {
    const server = await backend.client();
    const run = given ?? (await server.getWorkflow({ params: { id: workflow } })).run_id ?? 0;
    const baseDir = folder ?? folderOf(backend);
    // A run without an output folder here has no journals here.
    const found =
      folder === undefined && !isFolder(baseDir)
        ? { journals: [], unreadable: [] }
        : await findJournals(baseDir, workflow, run);
    const journals = found.journals.map((path) => {
      const { payloads, fault } = readJournal(path);
      return { path, results: payloads.length, ...(fault === undefined ? {} : { fault }) };
    });
    const next = journals.length === 0 ? {} : { next: `torc workflows reconcile ${workflow} --base-dir ${baseDir}` };
    return { workflow_id: workflow, run_id: run, base_dir: baseDir, journals, unreadable: found.unreadable, ...next };
  },
});

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}
