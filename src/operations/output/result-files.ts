import { filesOf, stdioOf } from '../../core/contract/files/job.ts';
import { existsSync } from 'node:fs';
import { all } from '../../client/every.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Result } from '../../core/contract/result.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { allocationOutputOf, runnerLogOf, slurmTaskOf } from '../../core/contract/files/runner.ts';
import type { Client } from '../../client/client.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Results of a workflow, each with the paths of its job's output and of the logs of its runner, and those of these files
 * that should be there and are not.
 */
export async function withFiles(client: Client, workflowId: number, results: readonly Result[], outputDir: string) {
  if (!existsSync(outputDir)) throw new Refusal('FILE_UNREADABLE', `there is no output folder "${outputDir}"`);
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const nodes = await all((page) => client.listComputeNodes({ query: { workflow_id: workflowId, ...page } }));
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));

  const missing = new Set<string>();
  const items = results.map((result) => {
    const node = nodeOf.get(result.compute_node_id);
    const paths = filesOfAttempt(workflow, result, node, outputDir);
    const slurmJob = slurmTaskOf(node?.scheduler)?.jobId;
    for (const [name, path] of Object.entries(paths)) {
      const isGone = name.startsWith('job_std') && isDeletedOnSuccess(workflow, result);
      if (path !== undefined && !isGone && !existsSync(path)) missing.add(path);
    }
    const { job_id, job_name, status, run_id, return_code, completion_time, exec_time_minutes, compute_node_id } =
      result;
    return {
      job_id,
      job_name,
      status,
      run_id,
      return_code,
      completion_time,
      exec_time_minutes,
      compute_node_id,
      compute_node_type: node?.compute_node_type,
      ...(slurmJob === undefined ? {} : { slurm_job_id: slurmJob }),
      ...paths,
    };
  });
  return { workflow, items, missing: [...missing] };
}

/** The paths of the logs of a result, if they are kept; the names are those that runners use. */
export function filesOfAttempt(
  workflow: Workflow,
  result: Pick<Result, 'workflow_id' | 'run_id' | 'job_id' | 'attempt_id' | 'job_name'>,
  node: ComputeNode | undefined,
  outputDir: string,
) {
  const place = { workflowId: result.workflow_id, runId: result.run_id, outputDir };
  const { stdout, stderr } = filesOf(
    { ...place, execution: workflow.execution_config ?? {} },
    { id: result.job_id, attempt_id: result.attempt_id ?? 1, name: result.job_name ?? '' },
  );
  const slurmJob = slurmTaskOf(node?.scheduler)?.jobId;
  const slurm = allocationOutputOf(outputDir, result.workflow_id, slurmJob ?? '');
  return {
    job_stdout: stdout,
    job_stderr: stderr,
    job_runner_log:
      node === undefined ? undefined : runnerLogOf(outputDir, { ...place, ...node, scheduler: node.scheduler }),
    ...(slurmJob === undefined ? {} : { slurm_stdout: `${slurm}.o`, slurm_stderr: `${slurm}.e` }),
  };
}

/** A successful job may leave no output, if its workflow requests that. */
const isDeletedOnSuccess = ({ execution_config: execution }: Workflow, { status, job_name: name }: Result) =>
  status === 'completed' && stdioOf(execution ?? {}, name ?? '').delete_on_success;
