import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import { withSubstitute } from '../../client/compat/unknown-route.ts';
import { all } from '../../client/every.ts';
import { VERSION } from '../../core/contract/version.ts';
import type { FailureGroup, FailureGroups, WorkflowGraph, WorkflowTimeline } from '../../core/contract/view.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { usedJobsOf } from '../../core/lifecycle/resources/used-jobs.ts';
import type { ReportFacts } from '../../core/report/workflow-report.ts';
import { lastErrorLines } from '../explain/last-error-lines.ts';
import { stateOfStatus } from './views/workflow-state.ts';

/** Groups of failures whose last lines are read, and parts of the time. */
const [READ_GROUPS, BINS, BANDS] = [20, 120, 20];
/** Of a longer workflow file only the beginning is in a report: 64 KiB are some thousand lines. */
const MOST_FILE_BYTES = 65_536;

const NO_GRAPH: WorkflowGraph = { families: [], edges: [], families_left_out: 0, jobs_left_out: 0 };
const NO_TIMELINE: WorkflowTimeline = { bin_seconds: 1, running: [], ended: [], failed: [] };
const NO_FAILURES: FailureGroups = { groups: [], groups_left_out: 0 };

/** Asks for all that a report of a workflow is made of. */
export async function gatherReport(client: Client, id: number): Promise<ReportFacts> {
  const params = { id };
  const of = { workflow_id: id };
  const [workflow, status, version] = await Promise.all([
    client.getWorkflow({ params }),
    client.getWorkflowStatus({ params }),
    client.getVersion({}),
  ]);
  const [jobs, results, attempts, requirements] = await Promise.all([
    all((page) => client.listJobs({ query: { ...of, ...page } })),
    // Of a job that was up to date in the last run, the current result is that of an earlier one.
    all((page) => client.listResults({ query: { ...of, ...page } })),
    all((page) => client.listResults({ query: { ...of, all_runs: true, ...page } })),
    all((page) => client.listResourceRequirements({ query: { ...of, ...page } })),
  ]);
  const dependencies = await all((page) => client.listJobDependencies({ params, query: page }));
  const [runners, stats] = await Promise.all([
    all((page) => client.listComputeNodes({ query: { ...of, ...page } })),
    all((page) => client.listSlurmStats({ query: { ...of, ...page } })),
  ]);
  const [graph, timeline, failures] = await Promise.all([
    // Torc's own server has none of these: then the pictures and the groups of failures are left out.
    withSubstitute(client.getWorkflowGraph({ params, query: {} }), async () => NO_GRAPH),
    withSubstitute(
      client.getWorkflowTimeline({ params, query: { bins: BINS, by: 'family', bands: BANDS } }),
      async () => NO_TIMELINE,
    ),
    withSubstitute(client.listFailureGroups({ params }), async () => NO_FAILURES),
  ]);
  const workers = status.active_compute_nodes + status.active_scheduled_nodes + status.pending_scheduled_nodes;
  const lastLines: (readonly string[])[] = [];
  for (const group of failures.groups.slice(0, READ_GROUPS)) lastLines.push(await linesOf(client, workflow, group));
  return {
    workflow: { ...workflow, id },
    status,
    state: stateOfStatus(status, workers, undefined),
    jobs: usedJobsOf({ jobs, results, requirements, execution: workflow.execution_config }),
    attempts,
    dependencies,
    runners,
    stats,
    graph,
    timeline,
    failures,
    lastLines,
    file: fileOf(workflow.spec_file ?? undefined),
    versions: { torc: VERSION, server: version.version },
  };
}

/** A file that cannot be read, and a server that does not read it, leave the lines out: the group says the cause itself. */
async function linesOf(
  client: Client,
  workflow: Workflow,
  { first: [first] }: FailureGroup,
): Promise<readonly string[]> {
  if (first === undefined) return [];
  const attempt = { ...first, workflow_id: workflow.id ?? 0 };
  return lastErrorLines(client, workflow, attempt, undefined).catch(() => []);
}

/** The workflow file, if it is still there and this user may read it. */
function fileOf(path: string | undefined): ReportFacts['file'] {
  if (path === undefined) return undefined;
  try {
    const file = openSync(path, 'r');
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return undefined;
      const buffer = Buffer.alloc(Math.min(stats.size, MOST_FILE_BYTES));
      const read = readSync(file, buffer, 0, buffer.length, 0);
      return { path, text: buffer.toString('utf8', 0, read), isCut: stats.size > read };
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
