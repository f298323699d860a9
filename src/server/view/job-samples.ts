import { basename } from 'node:path';
import { labelOf, METRICS_FOLDER, metricsPath } from '../../core/contract/files/runner.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { JobSamples } from '../../core/contract/view.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { FLUSH_SECONDS, keepsSamples, SAMPLE_SECONDS } from '../../core/lifecycle/resources/job-monitoring.ts';
import { Thread } from '../../thread/thread.ts';
import type { Permissions } from '../caller.ts';
import { createQueue } from '../queue.ts';
import type { Store } from '../records/store.ts';
import { type AttemptQuery, NO_FILES, NO_FOLDER, placeOfAttempt } from './attempt-place.ts';
import { type NotRead, readOwnFile } from './own-file.ts';
import type { ViewQueries } from './queries.ts';
import type { ReadSamples, SampleQuestion } from './read-samples.ts';

/** Points of a plot: more are no picture any more. */
const MOST_POINTS = 500;
/** A file of a million samples takes a second; one that takes longer is on a file system that hangs, or was made to take long. */
const LONGEST_MS = 5_000;
const IDLE_MS = 3_000;

/** What the runner of an attempt saw of it over time, from the file that it keeps in its output folder. */
export function createJobSamples(
  { find }: Store,
  queries: ViewQueries,
  { isEnforced }: Pick<Permissions, 'isEnforced'>,
) {
  const thread = new Thread<SampleQuestion, ReadSamples>('./samples-worker', import.meta.url, { idleMs: IDLE_MS });
  const ask = createPatientAsk(thread);

  return async (jobId: number, asked: AttemptQuery): Promise<JobSamples> => {
    const { job, workflow, attempt, isRunning, node, outputDir, about } = placeOfAttempt(find, queries, jobId, asked);
    const config = parsed(workflow.resource_monitor_config) as Workflow['resource_monitor_config'];
    const place = { workflowId: job.workflow_id, runId: attempt.run_id, hostname: node?.hostname ?? '' };
    const isKept = keepsSamples(config);
    const path =
      !isKept || node === undefined || outputDir === undefined
        ? undefined
        : metricsPath(outputDir, labelOf({ ...place, scheduler: parsed(node.scheduler) }));
    const known = {
      ...about,
      ...(path === undefined ? {} : { path }),
      command: `torc plot-resources ${shellWord(path ?? `torc_output/${METRICS_FOLDER}/NAME.db`)} --job-ids ${jobId}`,
      interval_seconds: config?.sample_interval_seconds ?? SAMPLE_SECONDS,
      ...(isRunning ? { written_every_seconds: config?.flush_interval_seconds ?? FLUSH_SECONDS } : {}),
    };
    if (!isKept) return { ...known, reason: NOT_KEPT };
    if (path === undefined || outputDir === undefined) return { ...known, reason: NO_FOLDER };
    if (isEnforced) return { ...known, reason: NO_FILES };
    const read = await readOwnFile<ReadSamples>(outputDir, METRICS_FOLDER, basename(path), async (_, { uid }, real) => {
      if (uid !== process.getuid?.()) return { reason: 'it is a file of another user' };
      return ask({ path: real, jobId, attemptId: attempt.attempt_id, mostPoints: MOST_POINTS });
    });
    return { ...known, ...read };
  };
}

const NOT_KEPT =
  'no samples are kept, because the workflow does not ask for them (resource_monitor: {jobs: {enabled: true, granularity: time_series}})';

/** A question to the thread whose failure is the reason that no samples are shown. One at a time: a slow file ends the thread. */
function createPatientAsk(thread: Thread<SampleQuestion, ReadSamples>) {
  const inTurn = createQueue(1);
  return (question: SampleQuestion): Promise<ReadSamples | NotRead> =>
    inTurn(async () => {
      const timer = setTimeout(
        () => void thread.close(new Error(`it took longer than ${LONGEST_MS / 1000} s`)),
        LONGEST_MS,
      );
      try {
        return await thread.ask(question);
      } catch (error) {
        return { reason: `it cannot be read: ${(error as Error).message}` };
      } finally {
        clearTimeout(timer);
      }
    });
}

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));
