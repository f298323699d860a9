import type { AttemptLink } from '../store/rows/records.ts';
import type { JobKey, TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

export type LinkedAttempt = Pick<AttemptLink, 'cluster' | 'workflow' | 'workflowJob' | 'run' | 'attempt'>;

/** The attempts at workflow jobs that the processes of a job belong to, each once, in the order of time. */
export async function linkedAttemptsOf(
  source: TelemetryRows,
  { cluster }: AskedWindow,
  key: JobKey,
): Promise<LinkedAttempt[]> {
  const found = new Map<string, LinkedAttempt>();
  for (const link of await source.links(cluster, key)) {
    const { workflow, workflowJob, run, attempt } = link;
    const name = `${link.cluster} ${workflow} ${workflowJob} ${run} ${attempt}`;
    if (!found.has(name)) found.set(name, { cluster: link.cluster, workflow, workflowJob, run, attempt });
  }
  return [...found.values()];
}

const SHOWN = 3;

/** `workflow 1, job 7, run 1, attempt 1`; of several, the first ones. */
export function attemptsText(attempts: readonly LinkedAttempt[]): string {
  const texts = attempts
    .slice(0, SHOWN)
    .map(
      ({ workflow, workflowJob, run, attempt }) =>
        `workflow ${workflow}, job ${workflowJob}, run ${run}, attempt ${attempt}`,
    );
  const more = attempts.length - SHOWN;
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}
