import type { Client } from '../../client/client.ts';
import type { Result } from '../../core/contract/result.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { LAST_LINES, lastLines, withVisibleControls } from '../output/last-lines.ts';
import { filesOfAttempt } from '../output/result-files.ts';

/**
 * The last lines of the standard error of an attempt: from the output folder of this machine, or without one from the server,
 * which reads only what its settings allow. Empty where they cannot be read.
 */
export async function lastErrorLines(
  client: Client,
  workflow: Workflow,
  attempt: Pick<Result, 'workflow_id' | 'run_id' | 'job_id' | 'attempt_id' | 'job_name'>,
  outputDir: string | undefined,
): Promise<readonly string[]> {
  if (outputDir !== undefined) {
    const { job_stderr: path } = filesOfAttempt(workflow, attempt, undefined, outputDir);
    return path === undefined ? [] : lastLines(path);
  }
  const { lines } = await client.getOutputTail({
    params: { id: attempt.job_id },
    query: {
      stream: 'stderr',
      run_id: attempt.run_id,
      attempt_id: attempt.attempt_id ?? 1,
      lines: LAST_LINES,
    },
  });
  return (lines ?? []).map((line) => withVisibleControls(line));
}
